import { send } from "../load/send.ts";
import type { Bench, Row } from "../measure.ts";
import type { HubFolder } from "../subjects/hub-folder.ts";
import {
  findChildren,
  readPeakBytes,
  readResidentBytes,
  resetPeak,
} from "../subjects/process-cost.ts";
import { openWorkSession, startWorkHub, type WorkKey } from "../subjects/work-folder.ts";

/** Records of 1 KiB each: 20 MiB of JSON. */
const count = 20 * 1024;

/** The peak memory during one result of 20 MiB, which the hub truncates for the client. */
export async function measureLargeResult(bench: Bench, folder: HubFolder): Promise<Row> {
  const plugged = await measure(bench, folder, "work");
  const builtIn = await measure(bench, folder, "compiled_work");
  return {
    what: "a result of 20 MiB through a plugin, the hub's memory at its peak",
    value: plugged.hubPeakMb,
    unit: "MB",
    target: null,
    details: {
      hub_before_mb: plugged.hubBeforeMb,
      plugin_peak_mb: plugged.childPeakMb,
      plugin_before_mb: plugged.childBeforeMb,
      took_ms: plugged.tookMs,
      built_in_hub_peak_mb: builtIn.hubPeakMb,
      built_in_took_ms: builtIn.tookMs,
    },
  };
}

async function measure(bench: Bench, folder: HubFolder, key: WorkKey) {
  await using hub = await startWorkHub(bench, folder);
  const session = await openWorkSession(hub, folder);
  await send(session.toWork(key, "greet", { name: "Ada" }));
  const pluginPid = (await findChildren(hub.pid, folder.dataDir)).at(-1) ?? null;
  const pids = pluginPid === null ? [hub.pid] : [hub.pid, pluginPid];
  const before = await Promise.all(pids.map(readResidentBytes));
  await Promise.all(pids.map(resetPeak));
  const startedAt = performance.now();
  await send(session.toWork(key, "list_records", { count }));
  const tookMs = performance.now() - startedAt;
  const peaks = await Promise.all(pids.map(readPeakBytes));
  return {
    tookMs,
    hubBeforeMb: toMb(before[0]),
    childBeforeMb: toMb(before[1]),
    hubPeakMb: toMb(peaks[0]),
    childPeakMb: toMb(peaks[1]),
  };
}

function toMb(bytes: number | null | undefined): number {
  return (bytes ?? Number.NaN) / 1e6;
}
