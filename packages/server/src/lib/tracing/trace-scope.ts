import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { ATTR_HTTP_REQUEST_METHOD, ATTR_URL_SCHEME } from "./attribute-names.ts";
import { endRequest } from "./end-request.ts";
import type { NewTraces } from "./new-traces.ts";
import { recordQuery } from "./record-query.ts";
import { extract, toCarrier } from "./trace-context.ts";
import type { EndedQuery, RequestEnd } from "./tracing.ts";

/** What is current: the span that the next one is a child of. */
export type TraceScope = SpanScope | RequestScope;

/** Inside of a span. */
export class SpanScope {
  readonly context: Context;
  readonly isRecorded: boolean;
  /** Add to `performance.now()` for the time of the clock. One trace has one offset. */
  readonly clockOffset: number;
  readonly #tracer: Tracer;

  constructor(tracer: Tracer, context: Context, isRecorded: boolean, clockOffset: number) {
    this.#tracer = tracer;
    this.context = context;
    this.isRecorded = isRecorded;
    this.clockOffset = clockOffset;
  }

  addQuery(query: EndedQuery): void {
    if (this.isRecorded) recordQuery(this.#tracer, this.context, this.clockOffset, query);
  }
}

/** Of a request whose sender is not known yet. */
const pendingMax = 16;
const knownMethods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

export type TracedRequest = { method: string; scheme: string; headers: Pick<Headers, "get"> };

type RequestDeps = {
  tracer: Tracer;
  /** Of requests of users. */
  traces: NewTraces;
  /** Of other requests. */
  strangers: NewTraces;
  now(): number;
};

/** A request. Its span opens when its sender is known, or at its end. */
export class RequestScope {
  context: Context | null = null;
  isRecorded = false;
  readonly clockOffset = readClockOffset();
  readonly #deps: RequestDeps;
  readonly #request: TracedRequest;
  readonly #method: string;
  readonly #isFollowing: boolean;
  readonly #mayBegin: boolean;
  readonly #startedAt: number;
  /** The statements before the span opens. */
  readonly #pending: EndedQuery[] = [];
  #span: OtelSpan | null = null;

  constructor(deps: RequestDeps, request: TracedRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#isFollowing = request.headers.get("traceparent") !== null;
    // Otherwise, `mayRecord` has said so.
    this.#mayBegin = !this.#isFollowing || deps.traces.mayBegin();
    this.#method = knownMethods.has(request.method) ? request.method : "_OTHER";
    this.#startedAt = deps.now();
  }

  addQuery(query: EndedQuery): void {
    if (this.context === null) {
      if (this.#pending.length < pendingMax) this.#pending.push(query);
    } else if (this.isRecorded) {
      recordQuery(this.#deps.tracer, this.context, this.clockOffset, query);
    }
  }

  /** Opens the span of a request by this user, or by a stranger. */
  open(userId: string | null): void {
    const { tracer, traces, strangers } = this.#deps;
    const { headers, scheme } = this.#request;
    const isKnown = userId !== null;
    const parent = isKnown && this.#isFollowing ? extract(toCarrier(headers)) : ROOT_CONTEXT;
    const limit = isKnown ? traces : strangers;
    if (parent === ROOT_CONTEXT && !(this.#mayBegin && limit.begin())) return;
    const attributes = {
      [ATTR_HTTP_REQUEST_METHOD]: this.#method,
      [ATTR_URL_SCHEME]: scheme,
      ...(isKnown && { "enduser.id": userId }),
    };
    const startTime = this.clockOffset + this.#startedAt;
    const options = { kind: SpanKind.SERVER, startTime, attributes };
    this.#span = tracer.startSpan(this.#method, options, parent);
    this.context = trace.setSpan(ROOT_CONTEXT, this.#span);
    this.isRecorded = this.#span.isRecording();
    for (const query of this.#pending.splice(0)) this.addQuery(query);
  }

  end(end: RequestEnd): void {
    if (this.context === null) this.open(null);
    if (this.#span === null) return;
    endRequest(this.#span, this.#method, end, this.clockOffset + this.#deps.now());
  }
}

/** The milliseconds from the start of the monotonic clock's time to the epoch, as of now. */
export function readClockOffset(): number {
  return Date.now() - performance.now();
}
