import type { PluginConnection } from "@hub/connector/plugin";
import type { Timers } from "../../lib/timers.ts";
import type { PluginChild } from "./spawn-plugin.ts";

/** How long each way to end has to work before the next, ruder one. */
const graceMs = 2000;

type StopDeps = { timers: Timers };

/** Asks the plugin to end, then tells it, then makes it. Resolves when it has ended. */
export async function stopPlugin(
  { timers }: StopDeps,
  child: PluginChild,
  connection: PluginConnection | null,
): Promise<void> {
  if (connection !== null) {
    // HashiCorp's library ends before it answers, so the answer says nothing.
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
