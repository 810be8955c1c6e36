import { send } from "../load/send.ts";
import type { Bench, Row } from "../measure.ts";
import { median } from "../statistics.ts";
import type { HubFolder } from "../subjects/hub-folder.ts";
import { findChildren } from "../subjects/process-cost.ts";
import { openWorkSession, startWorkHub } from "../subjects/work-folder.ts";

/** The first call of a plugin, with the start of its process and the handshake. */
export async function measurePluginStart(bench: Bench, folder: HubFolder): Promise<Row> {
  const firstMs: number[] = [];
  const laterMs: number[] = [];
  for (let start = 0; start < bench.plan.starts; start += 1) {
    await using hub = await startWorkHub(bench, folder);
    const session = await openWorkSession(hub, folder);
    await send(session.toWork("compiled_work", "greet", { name: "Ada" }));
    // The gRPC library is loaded once, for the first plugin.
    firstMs.push(await time(() => send(session.toWork("other_work", "greet", { name: "Ada" }))));
    laterMs.push(await time(() => send(session.toWork("work", "greet", { name: "Ada" }))));
    if ((await findChildren(hub.pid, folder.dataDir)).length === 0)
      throw new Error("No plugin was started.");
  }
  return {
    what: "a plugin's first call, from its start to the answer",
    value: median(laterMs),
    unit: "ms",
    target: null,
    details: {
      fastest_ms: Math.min(...laterMs),
      slowest_ms: Math.max(...laterMs),
      first_plugin_of_a_hub_ms: median(firstMs),
    },
  };
}

async function time(action: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await action();
  return performance.now() - startedAt;
}
