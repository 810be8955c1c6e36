import type { PluginConnection } from "@hub/connector/plugin";
import type { Timers } from "../../lib/timers.ts";
import type { PluginChild } from "./spawn-plugin.ts";

/** Time for each step before the next one. */
const graceMs = 2000;

type StopDeps = { timers: Timers };

/** Ends a plugin by a shutdown request, then SIGTERM, then SIGKILL. Resolves when it has ended. */
export async function stopPlugin(
  { timers }: StopDeps,
  child: PluginChild,
  connection: PluginConnection | null,
): Promise<void> {
  if (connection !== null) {
    // HashiCorp's library exits before it answers, so the answer is ignored.
    connection.shutdown(graceMs).catch(() => {});
    if (await endsInTime(timers, child)) return;
  }
  child.kill("SIGTERM");
  if (await endsInTime(timers, child)) return;
  child.kill("SIGKILL");
  await child.exited;
}

async function endsInTime(timers: Timers, child: PluginChild): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancelTimer = timers.after(graceMs, () => resolve(false));
  child.exited.then(() => resolve(true));
  const ended = await promise;
  cancelTimer();
  return ended;
}
