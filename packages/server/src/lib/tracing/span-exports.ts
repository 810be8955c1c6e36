import type { ExportResult } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import { telemetrySdk } from "./telemetry-sdk.ts";
import type { SpanCounts } from "./tracing.ts";

const { BatchSpanProcessor, ExportResultCode } = telemetrySdk;

type ExportDeps = {
  exporter: SpanExporter;
  /** Called for every failed export, with a reason that is safe to log. */
  onFailure(reason: string): void;
  delayMs: number;
  /** An export that takes longer is aborted. */
  exportMsMax: number;
  /** Ends all running exports. */
  abort(): void;
};

export type SpanExports = { processor: SpanProcessor; counts(): SpanCounts };

/** Spans in memory, waiting and being sent. About 2 MiB. */
const spansMax = 2_048;
const batchMax = 512;

/**
 * Collects ended spans and sends them in batches. While the collector is slow or away, further spans
 * are dropped and counted, so that calls neither wait nor fill the memory.
 */
export function createSpanExports(deps: ExportDeps): SpanExports {
  const { exporter, onFailure, delayMs, exportMsMax, abort } = deps;
  const counts: SpanCounts = { exported: 0, dropped: 0, failed: 0 };
  let held = 0;

  const counted: SpanExporter = {
    export(spans, onResult) {
      // The exporter's own limit is one of silence. Attack: an answer that never ends.
      const timer = setTimeout(abort, exportMsMax);
      exporter.export(spans, (result) => {
        clearTimeout(timer);
        held -= spans.length;
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        counts[hasFailed ? "failed" : "exported"] += spans.length;
        if (hasFailed) onFailure(describeFailure(result));
        // The failure is handled: the processor would report it once more.
        onResult({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: async () => await exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: spansMax,
    maxExportBatchSize: batchMax,
    scheduledDelayMillis: delayMs,
  });

  return {
    processor: {
      onStart: () => {},
      onEnd(span: ReadableSpan) {
        if (held >= spansMax) {
          counts.dropped += 1;
          return;
        }
        held += 1;
        batches.onEnd(span);
      },
      forceFlush: () => batches.forceFlush(),
      shutdown: () => batches.shutdown(),
    },
    counts: () => ({ ...counts }),
  };
}

/** Only codes: a text of the collector could be anything, and an address could hold a credential. */
function describeFailure({ error }: ExportResult): string {
  const { code } = { code: undefined, ...error } as { code?: unknown };
  if (typeof code === "number") return `it answered with the status ${code}`;
  if (typeof code === "string" && /^[A-Z_]{2,40}$/.test(code)) return code;
  return "it did not accept them in time";
}
