import type { Log } from "../lib/create-log.ts";
import { systemTimers } from "../lib/timers.ts";
import type { CodePool } from "../workflows/code/code-pool.ts";
import type { CodeRunner, SourceCheck } from "../workflows/code/run-code.ts";

/** The scripts of code nodes. Nothing is loaded before the first one. */
export function openCodeRunner({ log }: { log: Log }): {
  runner: CodeRunner;
  close(): Promise<void>;
} {
  let loaded: Promise<{ runner: CodeRunner; pools: CodePool[] }> | null = null;
  const load = async () => {
    const { createCodePool } = await import("../workflows/code/code-pool.ts");
    const { createCodeRunner, waitingChecks } = await import("../workflows/code/run-code.ts");
    const { openCodeProcess } = await import("../workflows/code/open-code-process.ts");
    const { findCodeCommand } = await import("../workflows/code/find-code-command.ts");
    const command = findCodeCommand();
    const timers = systemTimers;
    const start = async () => {
      try {
        return await openCodeProcess({ command, timers, log });
      } catch (err) {
        log.error({ err }, "A process of code nodes did not start");
        throw err;
      }
    };
    const scripts = createCodePool({ timers, start });
    const checks = createCodePool({
      ...{ timers, start, processesMax: 1, ownerProcessesMax: 1 },
      waiting: waitingChecks,
    });
    return { pools: [scripts, checks], runner: createCodeRunner({ scripts, checks, timers }) };
  };
  const open = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    runner: {
      run: async (script, signal) => await (await open()).runner.run(script, signal),
      openCheck(ownerId, signal) {
        let check: Promise<SourceCheck> | null = null;
        return async (source) => {
          check ??= open().then(({ runner }) => runner.openCheck(ownerId, signal));
          return await (await check)(source);
        };
      },
    },
    async close() {
      const pools = (await loaded)?.pools ?? [];
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}
