/** Reports SIGINT (Ctrl-C) and SIGTERM (from a service manager). */
export type ProgramEnd = {
  isOver(): boolean;
  /** Resolves when the program is asked to end. */
  ended: Promise<void>;
  /** Resolves after this time, or earlier when the program is asked to end. */
  waitAtMost(ms: number): Promise<void>;
  /** Removes the signal handlers, so that the next signal ends the program at once. */
  stop(): void;
};

export function waitForEnd(): ProgramEnd {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const end = () => {
    isOver = true;
    stop();
    resolve();
  };
  const stop = () => {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  return {
    isOver: () => isOver,
    ended: promise,
    async waitAtMost(ms) {
      const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
      const timer = setTimeout(pass, ms);
      await Promise.race([promise, passed]);
      clearTimeout(timer);
    },
    stop,
  };
}
