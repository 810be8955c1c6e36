/** A place among the processes that may run at once. */
export type ProcessPlace = {
  /** False once it was given back. */
  isHeld(): boolean;
  /** Does nothing the second time. */
  giveBack(): void;
};

/** The places in line: the hub runs no more than so many processes of plugins at once. */
export type ProcessSlots = {
  /** Resolves when there is a place; it is taken then. `makeRoom` may free one meanwhile. */
  take(makeRoom: () => Promise<void> | null): Promise<ProcessPlace>;
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
  const takePlace = (): ProcessPlace => {
    let isHeld = true;
    taken += 1;
    return {
      isHeld: () => isHeld,
      giveBack() {
        if (!isHeld) return;
        isHeld = false;
        taken -= 1;
        wake();
      },
    };
  };
  return {
    async take(makeRoom) {
      while (taken >= procsMax) {
        await (makeRoom() ?? new Promise<void>((resolve) => waiting.push(resolve)));
      }
      return takePlace();
    },
    wake,
  };
}
