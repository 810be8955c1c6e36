import type { Config } from "../config.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { readHubVersion } from "../lib/process/build-info.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { InstanceKind } from "../store/database/tables/hub-tables.ts";

type TracingParts = {
  config: Pick<Config, "traces">;
  kind: InstanceKind;
  log: Log;
  now: () => number;
};

const logEveryMs = 60_000;

/**
 * Tracing if it is configured. OpenTelemetry is loaded only then. A command ends before a trace of
 * it would be of use.
 */
export async function openTracing(parts: TracingParts): Promise<Tracing | null> {
  const { config, kind, log, now } = parts;
  const { traces: settings } = config;
  if (settings === null || kind === "cli") return null;
  const { openTelemetry } = await import("../lib/tracing/open-telemetry.ts");
  let loggedAt = Number.NEGATIVE_INFINITY;
  return openTelemetry({
    settings,
    version: await readHubVersion(),
    instanceId: crypto.randomUUID(),
    callsBeginTraces: kind === "stdio",
    onFailure(reason) {
      if (now() - loggedAt < logEveryMs) return;
      loggedAt = now();
      log.warn({ reason }, "The collector of OTEL_EXPORTER_OTLP_ENDPOINT did not accept spans");
    },
  });
}
