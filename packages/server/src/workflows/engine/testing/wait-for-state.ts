import type { openEngine } from "./open-engine.ts";

/** Waits until the run has parked in this state, and returns it with its steps. */
export async function waitForState(
  hub: Awaited<ReturnType<typeof openEngine>>,
  runId: string,
  state: string,
) {
  for (;;) {
    const run = await hub.untilParked(runId);
    if (run.state === state) return run;
    await Bun.sleep(5);
  }
}
