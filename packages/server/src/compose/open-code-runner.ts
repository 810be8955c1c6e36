import type { Log } from "../lib/logs/create-log.ts";
import type { CodeProcesses } from "../lib/metrics/metrics.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { CodePool, CodePoolCounts } from "../sandbox/code-pool.ts";
import type { CodeRunner, SourceCheck } from "../workflows/code/run-code.ts";

/** The scripts of code nodes. Nothing is loaded before the first one. */
export function openCodeRunner({ log }: { log: Log }): {
  runner: CodeRunner;
  count(): CodeProcesses;
  close(): Promise<void>;
} {
  let loaded: Promise<{ runner: CodeRunner; pools: CodePool[] }> | null = null;
  let counted: { scripts: CodePool; checks: CodePool } | null = null;
  const load = async () => {
    const { createCodePool } = await import("../sandbox/code-pool.ts");
    const { createCodeRunner, waitingChecks } = await import("../workflows/code/run-code.ts");
    const { openCodeProcess } = await import("../sandbox/open-code-process.ts");
    const { findCodeCommand } = await import("../sandbox/find-code-command.ts");
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
      timers,
      start,
      processesMax: 1,
      ownerProcessesMax: 1,
      waiting: waitingChecks,
    });
    counted = { scripts, checks };
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
    count: () => addUp(counted?.scripts.count() ?? none, counted?.checks.count() ?? none),
    async close() {
      const pools = (await loaded)?.pools ?? [];
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

const none: CodePoolCounts = {
  busy: 0,
  idle: 0,
  waiting: 0,
  killed: { timeout: 0, memory: 0, crash: 0, cancelled: 0 },
};

function addUp(scripts: CodePoolCounts, checks: CodePoolCounts): CodeProcesses {
  return {
    busy: scripts.busy + checks.busy,
    idle: scripts.idle + checks.idle,
    waiting: { run: scripts.waiting, check: checks.waiting },
    killed: {
      timeout: scripts.killed.timeout + checks.killed.timeout,
      memory: scripts.killed.memory + checks.killed.memory,
      crash: scripts.killed.crash + checks.killed.crash,
      cancelled: scripts.killed.cancelled + checks.killed.cancelled,
    },
  };
}
