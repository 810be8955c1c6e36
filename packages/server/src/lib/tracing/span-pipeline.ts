import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Tracer } from "@opentelemetry/api";
import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { TracerProvider } from "@opentelemetry/sdk-trace";
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "./attribute-names.ts";
import { createSampler } from "./create-sampler.ts";
import { createSpanExports, type SpanExports } from "./span-exports.ts";
import { telemetrySdk } from "./telemetry-sdk.ts";
import type { TraceSettings } from "./trace-settings.ts";
import type { SpanCounts } from "./tracing.ts";

export type PipelineDeps = {
  settings: TraceSettings;
  version: string;
  instanceId: string;
  /** Called for every failed export, with a reason that is safe to log. */
  onFailure(reason: string): void;
  /** Time for the last export. */
  closeMsMax?: number;
};

const closeMsMaxDefault = 3_000;

/** Makes spans, and exports them as OTLP over HTTP until it is closed. */
export class SpanPipeline {
  readonly tracer: Tracer;
  readonly #closeMsMax: number;
  readonly #agent: HttpAgent;
  readonly #exports: SpanExports;
  readonly #provider: TracerProvider;
  #isClosed = false;

  constructor(deps: PipelineDeps) {
    const { settings, version, onFailure, closeMsMax = closeMsMaxDefault } = deps;
    // Failed exports are reported by `onFailure`. The SDK would print them with their addresses.
    telemetrySdk.setGlobalErrorHandler(() => {});
    this.#closeMsMax = closeMsMax;
    this.#agent = settings.url.startsWith("https:")
      ? new HttpsAgent({ keepAlive: true })
      : new HttpAgent({ keepAlive: true });
    this.#exports = createSpanExports({
      exporter: this.#openExporter(settings),
      onFailure,
      delayMs: settings.delayMs,
      exportMsMax: 2 * settings.timeoutMs,
      abort: () => this.#agent.destroy(),
    });
    this.#provider = new telemetrySdk.TracerProvider({
      sampler: createSampler(settings.sampler),
      spanProcessors: [this.#exports.processor],
      resource: telemetrySdk.resourceFromAttributes({
        ...settings.resource,
        [ATTR_SERVICE_NAME]: settings.serviceName,
        [ATTR_SERVICE_VERSION]: version,
        "service.instance.id": deps.instanceId,
      }),
    });
    this.tracer = this.#provider.getTracer("hub", version);
  }

  counts(): SpanCounts {
    return this.#exports.counts();
  }

  /** Exports what is left, within a few seconds. */
  async close(): Promise<void> {
    const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
    const timer = setTimeout(pass, this.#closeMsMax);
    await Promise.race([this.#provider.shutdown().catch(() => {}), passed]);
    clearTimeout(timer);
    // Requests that are not answered would keep the process alive.
    this.#isClosed = true;
    this.#agent.destroy();
  }

  #openExporter({ url, readHeaders, timeoutMs }: TraceSettings): OTLPTraceExporter {
    return new telemetrySdk.OTLPTraceExporter({
      url,
      // The only place at which it can be stopped from trying again.
      headers: async () => {
        if (this.#isClosed) throw new Error("Tracing is closed.");
        return readHeaders();
      },
      timeoutMillis: timeoutMs,
      httpAgentOptions: () => this.#agent,
      concurrencyLimit: 8,
    });
  }
}
