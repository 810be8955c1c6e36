import type { Log } from "../lib/logs/create-log.ts";
import type { CodeKillReason, CodeProcesses } from "../lib/metrics/metrics.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { CodePool, CodePoolCounts } from "../sandbox/code-pool.ts";
import type { ScriptSandbox } from "../sandbox/script-sandbox.ts";
import type { CodeRunner, SourceCheck } from "../workflows/code/run-code.ts";

/** The scripts of code nodes, and those that ask the hub. Nothing is loaded before the first one. */
export function openCodeRunner({ log }: { log: Log }): {
  runner: CodeRunner;
  sandbox: ScriptSandbox;
  count(): CodeProcesses;
  close(): Promise<void>;
} {
  let loaded: ReturnType<typeof load> | null = null;
  let counted: Record<keyof CodeProcesses["waiting"], CodePool> | null = null;
  const load = async () => {
    const { createScriptSandbox } = await import("../sandbox/create-script-sandbox.ts");
    const { scriptProcessesMax, waitingScripts } = await import("../sandbox/script-limits.ts");
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
        log.error({ err }, "A process of scripts did not start");
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
    // Scripts that wait for calls must not hold up the nodes of workflows.
    const asking = createCodePool({
      timers,
      start,
      processesMax: scriptProcessesMax,
      ownerProcessesMax: 1,
      isPerOwner: true,
      waiting: waitingScripts,
    });
    counted = { run: scripts, check: checks, script: asking };
    return {
      pools: [scripts, checks, asking],
      runner: createCodeRunner({ scripts, checks, timers }),
      sandbox: createScriptSandbox({ pool: asking, timers }),
    };
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
    sandbox: {
      run: async (script, signal) => await (await open()).sandbox.run(script, signal),
    },
    count: () =>
      addUp({
        run: counted?.run.count() ?? none,
        check: counted?.check.count() ?? none,
        script: counted?.script.count() ?? none,
      }),
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

function addUp(pools: Record<keyof CodeProcesses["waiting"], CodePoolCounts>): CodeProcesses {
  const { run, check, script } = pools;
  const killed = (reason: CodeKillReason) =>
    run.killed[reason] + check.killed[reason] + script.killed[reason];
  return {
    busy: run.busy + check.busy + script.busy,
    idle: run.idle + check.idle + script.idle,
    waiting: { run: run.waiting, check: check.waiting, script: script.waiting },
    killed: {
      timeout: killed("timeout"),
      memory: killed("memory"),
      crash: killed("crash"),
      cancelled: killed("cancelled"),
    },
  };
}
