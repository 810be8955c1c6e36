import type { Log } from "../lib/create-log.ts";
import { systemTimers } from "../lib/timers.ts";
import type { CodePool } from "../workflows/code/code-pool.ts";
import type { CodeRunner } from "../workflows/code/run-code.ts";

/** The scripts of code nodes. Nothing is loaded before the first one. */
export function openCodeRunner({ log }: { log: Log }): {
  runner: CodeRunner;
  close(): Promise<void>;
} {
  let loaded: Promise<{ runner: CodeRunner; pool: CodePool }> | null = null;
  const load = async () => {
    const { createCodePool } = await import("../workflows/code/code-pool.ts");
    const { createCodeRunner } = await import("../workflows/code/run-code.ts");
    const { openCodeProcess } = await import("../workflows/code/open-code-process.ts");
    const { findCodeCommand } = await import("../workflows/code/find-code-command.ts");
    const command = findCodeCommand();
    const timers = systemTimers;
    const pool = createCodePool({ timers, start: () => openCodeProcess({ command, timers, log }) });
    return { pool, runner: createCodeRunner(pool) };
  };
  const open = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    runner: {
      run: async (script, signal) => await (await open()).runner.run(script, signal),
      check: async (ownerId, source) => await (await open()).runner.check(ownerId, source),
    },
    close: async () => await (await loaded)?.pool.close(),
  };
}
