/** The permit of one running process. */
export type ProcessPermit = {
  /** False after `release`. */
  isHeld(): boolean;
  /** Further calls do nothing. */
  release(): void;
};

/** Limits how many plugin processes run at once. */
export type ProcessSemaphore = {
  /** Resolves with a permit. `retireIdle` may end an idle process to free one. */
  acquire(retireIdle: () => Promise<void> | null): Promise<ProcessPermit>;
  /** Makes waiters check again, because a process has become idle. */
  wake(): void;
};

export function createProcessSemaphore(procsMax: number): ProcessSemaphore {
  let taken = 0;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  const createPermit = (): ProcessPermit => {
    let isHeld = true;
    taken += 1;
    return {
      isHeld: () => isHeld,
      release() {
        if (!isHeld) return;
        isHeld = false;
        taken -= 1;
        wake();
      },
    };
  };
  return {
    async acquire(retireIdle) {
      while (taken >= procsMax) {
        await (retireIdle() ?? new Promise<void>((resolve) => waiting.push(resolve)));
      }
      return createPermit();
    },
    wake,
  };
}
