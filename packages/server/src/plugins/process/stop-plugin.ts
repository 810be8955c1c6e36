import type { PluginConnection } from "@hub/connector/plugin";
import type { Timers } from "../../lib/time/timers.ts";
import type { PluginChild } from "./spawn-plugin.ts";
import { graceMs, stopProcess } from "./stop-process.ts";

type StopDeps = { timers: Timers };

/** Ends a plugin by a shutdown request, then SIGTERM, then SIGKILL. Resolves when it has ended. */
export async function stopPlugin(
  deps: StopDeps,
  child: PluginChild,
  connection: PluginConnection | null,
): Promise<void> {
  // HashiCorp's library exits before it answers, so the answer is ignored.
  const ask = () => void connection?.shutdown(graceMs).catch(() => {});
  await stopProcess(deps, child, connection === null ? undefined : ask);
}
