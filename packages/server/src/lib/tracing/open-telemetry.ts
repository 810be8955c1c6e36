import { AsyncLocalStorage } from "node:async_hooks";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import {
  type Context,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { TracerProvider } from "@opentelemetry/sdk-trace";
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_URL_SCHEME,
} from "@opentelemetry/semantic-conventions";
import { createSampler } from "./create-sampler.ts";
import { endRequest } from "./end-request.ts";
import { createLimit, createNewTraces } from "./new-traces.ts";
import { recordQuery } from "./record-query.ts";
import { createSpanExports } from "./span-exports.ts";
import { extract, inject, toCarrier } from "./trace-context.ts";
import type { TraceSettings } from "./trace-settings.ts";
import type { EndedQuery, Span, SpanSpec, Tracing } from "./tracing.ts";

type TelemetryDeps = {
  settings: TraceSettings;
  version: string;
  instanceId: string;
  /** Whether calls begin traces, as over stdio. If not, only HTTP requests do. */
  callsBeginTraces: boolean;
  /** Called for every failed export, with a reason that is safe to log. */
  onFailure(reason: string): void;
  /** Time for the last export. */
  closeMsMax?: number;
};

/** Of the hub's own sampler. A trace costs about 0.1 ms, so these take up to 0.2 % of a processor. */
const tracesPerSecond = 20;
/** Strangers must not push other traces out of the queue. */
const strangersPerSecond = 2;
/** Of a request whose sender is not known yet. */
const pendingMax = 16;
const closeMsMaxDefault = 3_000;

/** What is current: the span that the next one is a child of. */
type Scope = {
  /** Null for a request whose sender is not known yet. */
  context: Context | null;
  isRecorded: boolean;
  /** Add to `performance.now()` for the time of the clock. One trace has one offset. */
  clockOffset: number;
  /** Opens the span of a request. */
  open(userId: string | null): void;
  /** The statements before that. */
  pending: EndedQuery[];
};

const noSpan: Span = { context: null, set: () => {}, fail: () => {} };
const knownMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
} as const;

/** Tracing by OpenTelemetry's SDK, exported as OTLP over HTTP. */
export function openTelemetry(deps: TelemetryDeps): Tracing {
  const { settings, version, instanceId, callsBeginTraces, onFailure } = deps;
  const { closeMsMax = closeMsMaxDefault } = deps;
  // Failed exports are reported by `onFailure`. The SDK would print them with their addresses.
  setGlobalErrorHandler(() => {});
  const now = () => performance.now();
  const agent = settings.url.startsWith("https:")
    ? new HttpsAgent({ keepAlive: true })
    : new HttpAgent({ keepAlive: true });
  let isClosed = false;
  const exporter = new OTLPTraceExporter({
    url: settings.url,
    // The only place at which it can be stopped from trying again.
    headers: async () => {
      if (isClosed) throw new Error("Tracing is closed.");
      return settings.readHeaders();
    },
    timeoutMillis: settings.timeoutMs,
    httpAgentOptions: () => agent,
    concurrencyLimit: 8,
  });
  const exports = createSpanExports({
    exporter,
    onFailure,
    delayMs: settings.delayMs,
    exportMsMax: 2 * settings.timeoutMs,
    abort: () => agent.destroy(),
  });
  const provider = new TracerProvider({
    sampler: createSampler(settings.sampler),
    spanProcessors: [exports.processor],
    resource: resourceFromAttributes({
      ...settings.resource,
      [ATTR_SERVICE_NAME]: settings.serviceName,
      [ATTR_SERVICE_VERSION]: version,
      "service.instance.id": instanceId,
    }),
  });
  const tracer = provider.getTracer("hub", version);
  const storage = new AsyncLocalStorage<Scope>();
  const traces = createNewTraces(settings.sampler, { now, perSecond: tracesPerSecond });
  const strangers = createLimit(strangersPerSecond, now);

  /** Runs `work` with a span as the current one, and ends it. */
  async function runIn<T>(
    spec: SpanSpec,
    parent: Context,
    clockOffset: number,
    work: (span: Span) => Promise<T>,
    links: Link[] = [],
  ): Promise<T> {
    const { name, kind, attributes } = spec;
    const startTime = clockOffset + now();
    const options = { kind: kinds[kind], startTime, attributes, links };
    const span = tracer.startSpan(name, options, parent);
    const context = trace.setSpan(ROOT_CONTEXT, span);
    const isRecorded = span.isRecording();
    const scope: Scope = { context, isRecorded, clockOffset, pending: [], open: () => {} };
    const given = isRecorded ? toSpan(span, context) : toUnrecorded(context);
    try {
      return await storage.run(scope, () => work(given));
    } finally {
      if (isRecorded) span.end(clockOffset + now());
    }
  }

  function addQuery(scope: Scope, query: EndedQuery): void {
    if (scope.context === null) {
      if (scope.pending.length < pendingMax) scope.pending.push(query);
    } else if (scope.isRecorded) {
      recordQuery(tracer, scope.context, scope.clockOffset, query);
    }
  }

  return {
    mayRecord: (headers) => traces.mayBegin() || headers.get("traceparent") !== null,
    async request({ method, scheme, headers }, work) {
      const isFollowing = headers.get("traceparent") !== null;
      // Otherwise, `mayRecord` has said so.
      const mayBegin = !isFollowing || traces.mayBegin();
      const known = knownMethods.has(method) ? method : "_OTHER";
      const startedAt = now();
      let span: OtelSpan | null = null;
      const scope: Scope = {
        context: null,
        isRecorded: false,
        clockOffset: readClockOffset(),
        pending: [],
        open(userId) {
          const isKnown = userId !== null;
          const parent = isKnown && isFollowing ? extract(toCarrier(headers)) : ROOT_CONTEXT;
          const limit = isKnown ? traces : strangers;
          if (parent === ROOT_CONTEXT && !(mayBegin && limit.begin())) return;
          const attributes = {
            [ATTR_HTTP_REQUEST_METHOD]: known,
            [ATTR_URL_SCHEME]: scheme,
            ...(isKnown && { "enduser.id": userId }),
          };
          const startTime = scope.clockOffset + startedAt;
          const options = { kind: SpanKind.SERVER, startTime, attributes };
          span = tracer.startSpan(known, options, parent);
          scope.context = trace.setSpan(ROOT_CONTEXT, span);
          scope.isRecorded = span.isRecording();
          for (const query of scope.pending.splice(0)) addQuery(scope, query);
        },
      };
      const { end, response } = await storage.run(scope, work);
      if (scope.context === null) scope.open(null);
      if (span !== null) endRequest(span, known, end, scope.clockOffset + now());
      return response;
    },
    admit(userId) {
      const scope = storage.getStore();
      if (scope?.context === null) scope.open(userId);
    },
    isActive: () => callsBeginTraces || storage.getStore() !== undefined,
    async call(spec, parent, work) {
      const scope = storage.getStore();
      const clockOffset = scope?.clockOffset ?? readClockOffset();
      const remote = parent === null ? ROOT_CONTEXT : extract(parent);
      if (remote !== ROOT_CONTEXT) {
        const request = scope?.context ? trace.getSpanContext(scope.context) : undefined;
        return await runIn(spec, remote, clockOffset, work, request ? [{ context: request }] : []);
      }
      if (scope?.context) return await runIn(spec, scope.context, clockOffset, work);
      const isNew = callsBeginTraces && traces.mayBegin() && traces.begin();
      return isNew ? await runIn(spec, ROOT_CONTEXT, clockOffset, work) : await work(noSpan);
    },
    async span(spec, work) {
      const scope = storage.getStore();
      if (scope === undefined || scope.context === null) return await work(noSpan);
      if (!scope.isRecorded) return await work(toUnrecorded(scope.context));
      return await runIn(spec, scope.context, scope.clockOffset, work);
    },
    addQuery(query) {
      const scope = storage.getStore();
      if (scope !== undefined) addQuery(scope, query);
    },
    counts: exports.counts,
    async close() {
      const { promise: passed, resolve: pass } = Promise.withResolvers<void>();
      const timer = setTimeout(pass, closeMsMax);
      await Promise.race([provider.shutdown().catch(() => {}), passed]);
      clearTimeout(timer);
      // Requests that are not answered would keep the process alive.
      isClosed = true;
      agent.destroy();
    },
  };
}

/** The milliseconds from the start of the monotonic clock's time to the epoch, as of now. */
function readClockOffset(): number {
  return Date.now() - performance.now();
}

function toSpan(span: OtelSpan, context: Context): Span {
  return {
    get context() {
      return inject(context);
    },
    set: (attributes) => void span.setAttributes(attributes),
    fail(code, message) {
      span.setAttribute(ATTR_ERROR_TYPE, code);
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    },
  };
}

/** The decision against recording is handed on, so that no part of the trace is recorded. */
function toUnrecorded(context: Context): Span {
  return {
    get context() {
      return inject(context);
    },
    set: noSpan.set,
    fail: noSpan.fail,
  };
}
