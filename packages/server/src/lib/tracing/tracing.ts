import type { TraceContext } from "@hub/connector";

export type SpanAttributes = Readonly<Record<string, string | number>>;

export type SpanSpec = {
  /** One of few names: never with an id or a value. */
  name: string;
  kind: "internal" | "server" | "client";
  attributes?: SpanAttributes;
};

/** A running span. Without recording, its methods do nothing. */
export type Span = {
  /** The context for what this span calls; null if there is no trace. */
  readonly context: TraceContext | null;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. The message is exported: it must be one that the caller gets. */
  fail(code: string, message?: string): void;
};

/** An answered request. */
export type RequestEnd = {
  httpStatus: number;
  /** The path's template, such as `/users/{id}`; null if no route answers. */
  route: string | null;
};

/** A statement that has ended, with times of `performance.now()`. */
export type EndedQuery = {
  system: "postgresql" | "sqlite";
  /** The statement's text without its values. */
  text: string;
  startedAt: number;
  endedAt: number;
  hasFailed: boolean;
};

/** Counts of spans since the start. */
export type SpanCounts = {
  exported: number;
  /** Not exported, because too many spans waited. */
  dropped: number;
  /** The collector did not accept them. */
  failed: number;
};

/**
 * Records the spans of requests and calls. Spans made inside `work` are its children, also after
 * waits. Nothing that happens outside of a request or call is recorded.
 */
export type Tracing = {
  /** Whether `request` would note anything. If not, it need not be called, which costs least. */
  mayRecord(headers: Pick<Headers, "get">): boolean;
  /**
   * Runs the answer to a request. Its span begins a new trace, unless its sender is found to be
   * signed in: see `admit`.
   */
  request(
    request: { method: string; scheme: string; headers: Pick<Headers, "get"> },
    work: () => Promise<{ end: RequestEnd; response: Response }>,
  ): Promise<Response>;
  /** Whether anything may be recorded now. If not, the other functions need not be called. */
  isActive(): boolean;
  /** The sender of the current request is this user, so its trace context is accepted. */
  admit(userId: string): void;
  /**
   * Runs a call. Its span is a child of `parent` if that is valid, else of the current request. In a
   * process without requests it may begin a new trace.
   */
  call<T>(
    spec: SpanSpec,
    parent: TraceContext | null,
    work: (span: Span) => Promise<T>,
  ): Promise<T>;
  /** Runs a part of a call. */
  span<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T>;
  /** Adds a statement to the current request or call. */
  addQuery(query: EndedQuery): void;
  counts(): SpanCounts;
  /** Exports what is left, within a few seconds. */
  close(): Promise<void>;
};
