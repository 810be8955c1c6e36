import type { FetchInit } from "./outbound/outbound-request.ts";

/** Writes to the hub's log. Messages and details are masked first. */
export type ConnectorLog = {
  debug(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
};

/** Options of `mask`. */
export type MaskOptions = {
  /**
   * Whether the value is or contains a credential of the row, such as `Basic` credentials from its
   * fields. Callers can use its token with this row, but cannot read it or use it elsewhere.
   *
   * @example mask(Buffer.from(`${Username}:${Password}`).toString("base64"), { ofRow: true });
   */
  ofRow?: boolean;
};

/** The W3C trace context of a call, as the headers of the same names. */
export type TraceContext = { traceparent: string; tracestate?: string };

/** The tools that every function of a connector can use. */
export type CallTools = {
  /**
   * The hub's trace, for spans of the connector's own: their parent is the span in `traceparent`.
   * Absent if the hub records no traces. `fetch` sends it to other systems if the configuration has
   * a boolean field `SendTraceContext` that is on in this row.
   */
  trace?: TraceContext;
  /** Aborts when the caller cancels or the time limit is reached. `fetch` uses it automatically. */
  signal: AbortSignal;
  /**
   * Masks every occurrence of a value in results, errors, progress and logs. Callers get a token
   * that opens in all calls of their user and on the hub's decrypt page. With `ofRow`, it opens
   * only in calls of this row.
   */
  mask(value: string, options?: MaskOptions): void;
  /** The same as `mask`, in any mixture of upper and lower case. */
  maskIgnoreCase(value: string, options?: MaskOptions): void;
  /** The same as the global `fetch`, with timeouts, a body limit and the hub's outbound guard. */
  fetch(input: string | URL | Request, init?: FetchInit): Promise<Response>;
  log: ConnectorLog;
};

/** The tools that the host gives to an operation, in addition to its values. */
export type OperationTools = CallTools & {
  /** Reports progress, in units of the operation's choice. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * The same text for each try of one step of a workflow. Pass it on to the outside system, such as
   * in a header `Idempotency-Key`, so that it recognizes a repetition. Absent in all other calls.
   */
  idempotencyKey?: string;
};

/**
 * The context of `run`: typed values by field name (`ctx.config.BaseURL`), and the host's tools.
 */
export type OperationContext<Config = ValuesByName, Params = ValuesByName> = OperationTools & {
  config: Config;
  params: Params;
  /**
   * Values of the named elements of the html widget that called the operation, whether or not they
   * are declared as inputs: the element named `days` is `input.days`. A checkbox or radio is
   * present only if it is checked. Empty in every other call.
   *
   * @example const isDry = "dry_run" in input;
   */
  input: Readonly<Record<string, string>>;
};

/** The context of `health`. */
export type HealthContext<Config = ValuesByName> = CallTools & { config: Config };

/** The context of `lookup`: the picker's source and the typed text. */
export type LookupContext<Config = ValuesByName> = CallTools & {
  config: Config;
  source: string;
  query: string;
};

/** Values by field name. */
export type ValuesByName = Record<string, unknown>;
