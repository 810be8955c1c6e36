import type { FenceState } from "./find-fence-state.ts";
import type { FenceBreach, FenceProbe } from "./launch-plan.ts";
import { planFence } from "./plan-fence.ts";
import { startLauncher } from "./start-launcher.ts";

const probeMsMax = 10_000;

/** Starts a process in the fence that tries what no program may do. */
export async function probeFence(
  dataDir: string,
  state: FenceState,
  probe: FenceProbe,
): Promise<FenceBreach> {
  const landlock = planFence(dataDir, state, { read: [], written: [] });
  const { command, args, env, cwd } = startLauncher(
    { file: "", cwd: "/", landlock, user: state.user, limits: null, probe },
    [],
    {},
  );
  const child = Bun.spawn([command, ...args], {
    env,
    cwd,
    timeout: probeMsMax,
    // A small container may have no /dev/null.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  child.stdin.end();
  const [output, reason] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(reason.trim() || "The launcher did not end.");
  // Safe: the launcher has written it.
  return JSON.parse(output);
}
