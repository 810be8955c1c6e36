/** A place in line: the hub runs no more than so many processes of plugins at once. */
export type ProcessSlots = {
  /** Resolves when there is a place; it is taken then. `makeRoom` may free one meanwhile. */
  take(makeRoom: () => Promise<void> | null): Promise<void>;
  give(): void;
  /** Something has become idle: whoever waits looks again. */
  wake(): void;
};

export function createProcessSlots(procsMax: number): ProcessSlots {
  let taken = 0;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  return {
    async take(makeRoom) {
      while (taken >= procsMax) {
        await (makeRoom() ?? new Promise<void>((resolve) => waiting.push(resolve)));
      }
      taken += 1;
    },
    give() {
      taken -= 1;
      wake();
    },
    wake,
  };
}
