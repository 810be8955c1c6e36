import { AsyncLocalStorage } from "node:async_hooks";
import type { TraceContext } from "@hub/connector";
import { type Context, type Link, ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { createLimit, createNewTraces, type NewTraces } from "./new-traces.ts";
import { noSpan, toSpan, toUnrecorded } from "./otel-span.ts";
import { type PipelineDeps, SpanPipeline } from "./span-pipeline.ts";
import { extract } from "./trace-context.ts";
import {
  RequestScope,
  readClockOffset,
  SpanScope,
  type TracedRequest,
  type TraceScope,
} from "./trace-scope.ts";
import type { EndedQuery, RequestEnd, Span, SpanCounts, SpanSpec, Tracing } from "./tracing.ts";

type TelemetryDeps = PipelineDeps & {
  /** Whether calls begin traces, as over stdio. If not, only HTTP requests do. */
  callsBeginTraces: boolean;
};

/** Of the hub's own sampler. A trace costs about 0.1 ms, so these take up to 0.2 % of a processor. */
const tracesPerSecond = 20;
/** Strangers must not push other traces out of the queue. */
const strangersPerSecond = 2;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
} as const;

const now = () => performance.now();

/** Tracing by OpenTelemetry's SDK, exported as OTLP over HTTP. */
export function openTelemetry(deps: TelemetryDeps): Tracing {
  return new Telemetry(deps);
}

class Telemetry implements Tracing {
  readonly #pipeline: SpanPipeline;
  readonly #storage = new AsyncLocalStorage<TraceScope>();
  readonly #callsBeginTraces: boolean;
  readonly #traces: NewTraces;
  readonly #strangers = createLimit(strangersPerSecond, now);

  constructor(deps: TelemetryDeps) {
    this.#pipeline = new SpanPipeline(deps);
    this.#callsBeginTraces = deps.callsBeginTraces;
    this.#traces = createNewTraces(deps.settings.sampler, { now, perSecond: tracesPerSecond });
  }

  mayRecord(headers: Pick<Headers, "get">): boolean {
    return this.#traces.mayBegin() || headers.get("traceparent") !== null;
  }

  async request(
    request: TracedRequest,
    work: () => Promise<{ end: RequestEnd; response: Response }>,
  ): Promise<Response> {
    const { tracer } = this.#pipeline;
    const deps = { tracer, traces: this.#traces, strangers: this.#strangers, now };
    const scope = new RequestScope(deps, request);
    const { end, response } = await this.#storage.run(scope, work);
    scope.end(end);
    return response;
  }

  isActive(): boolean {
    return this.#callsBeginTraces || this.#storage.getStore() !== undefined;
  }

  admit(userId: string): void {
    const scope = this.#storage.getStore();
    if (scope instanceof RequestScope && scope.context === null) scope.open(userId);
  }

  async call<T>(
    spec: SpanSpec,
    parent: TraceContext | null,
    work: (span: Span) => Promise<T>,
  ): Promise<T> {
    const scope = this.#storage.getStore();
    const clockOffset = scope?.clockOffset ?? readClockOffset();
    const remote = parent === null ? ROOT_CONTEXT : extract(parent);
    if (remote !== ROOT_CONTEXT) {
      const request = scope?.context ? trace.getSpanContext(scope.context) : undefined;
      const links = request ? [{ context: request }] : [];
      return await this.#runIn(spec, remote, clockOffset, work, links);
    }
    if (scope?.context) return await this.#runIn(spec, scope.context, clockOffset, work);
    const isNew = this.#callsBeginTraces && this.#traces.mayBegin() && this.#traces.begin();
    return isNew ? await this.#runIn(spec, ROOT_CONTEXT, clockOffset, work) : await work(noSpan);
  }

  async span<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
    const scope = this.#storage.getStore();
    if (scope === undefined || scope.context === null) return await work(noSpan);
    if (!scope.isRecorded) return await work(toUnrecorded(scope.context));
    return await this.#runIn(spec, scope.context, scope.clockOffset, work);
  }

  addQuery(query: EndedQuery): void {
    this.#storage.getStore()?.addQuery(query);
  }

  counts(): SpanCounts {
    return this.#pipeline.counts();
  }

  close(): Promise<void> {
    return this.#pipeline.close();
  }

  /** Runs `work` with a span as the current one, and ends it. */
  async #runIn<T>(
    { name, kind, attributes }: SpanSpec,
    parent: Context,
    clockOffset: number,
    work: (span: Span) => Promise<T>,
    links: Link[] = [],
  ): Promise<T> {
    const { tracer } = this.#pipeline;
    const startTime = clockOffset + now();
    const options = { kind: kinds[kind], startTime, attributes, links };
    const span = tracer.startSpan(name, options, parent);
    const context = trace.setSpan(ROOT_CONTEXT, span);
    const isRecorded = span.isRecording();
    const scope = new SpanScope(tracer, context, isRecorded, clockOffset);
    const given = isRecorded ? toSpan(span, context) : toUnrecorded(context);
    try {
      return await this.#storage.run(scope, () => work(given));
    } finally {
      if (isRecorded) span.end(clockOffset + now());
    }
  }
}
