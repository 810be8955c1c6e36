/** Tells when someone asks the program to end: Ctrl-C, or a service manager. */
export type ProgramEnd = {
  isOver(): boolean;
  /** Resolves when the program shall end. */
  ended: Promise<void>;
  /** Resolves after a time, or earlier when the program shall end. */
  waitAtMost(ms: number): Promise<void>;
  /** Gives the signals back, so that the next one ends the program at once. */
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
