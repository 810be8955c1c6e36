import { type Metrics, noMetrics } from "../lib/metrics/metrics.ts";
import type { InstanceKind } from "../store/database/tables.ts";
import { metaToolNames } from "./open-operations.ts";

/** Only a server serves metrics; other processes do not load the library. */
export async function openMetrics(kind: InstanceKind, startedAt: number): Promise<Metrics> {
  if (kind !== "serve") return noMetrics;
  const { createPrometheusMetrics } = await import("../lib/metrics/prometheus-metrics.ts");
  return createPrometheusMetrics({ metaToolNames: [...metaToolNames], startedAt });
}
