import type { FetchInit } from "./outbound/outbound-request.ts";

/** Writes to the hub's log. What it is given is masked before it is written. */
export type ConnectorLog = {
  debug(message: string, details?: Record<string, unknown>): void;
  info(message: string, details?: Record<string, unknown>): void;
  warn(message: string, details?: Record<string, unknown>): void;
  error(message: string, details?: Record<string, unknown>): void;
};

/** What `mask` is given beside the value. */
export type MaskOptions = {
  /**
   * The value is, or holds, a credential of the row, such as `Basic` credentials that were put together of its
   * fields. Callers can use its token with this row and can neither read it nor use it elsewhere.
   *
   * @example mask(Buffer.from(`${Username}:${Password}`).toString("base64"), { ofRow: true });
   */
  ofRow?: boolean;
};

/** What every function of a connector can use. */
export type CallTools = {
  /** Aborts when the caller cancels or the time limit is reached. `fetch` uses it automatically. */
  signal: AbortSignal;
  /**
   * Keeps every occurrence of a value out of results, errors, progress and logs. Callers get a token
   * that opens in all calls of their user, and on the hub's decrypt page; with `ofRow`, in calls of
   * this row only.
   */
  mask(value: string, options?: MaskOptions): void;
  /** As `mask`, in any mixture of capitals and small letters. */
  maskIgnoreCase(value: string, options?: MaskOptions): void;
  /** As the global one, with time-outs, a body limit and the hub's outbound guard. */
  fetch(input: string | URL | Request, init?: FetchInit): Promise<Response>;
  log: ConnectorLog;
};

/** What the host gives to an operation beside its values. */
export type OperationTools = CallTools & {
  /** Reports progress, in units of the operation's choice. */
  progress(done: number, total?: number, message?: string): void;
};

/** What `run` gets: typed values by field name (`ctx.config.BaseURL`), and the host's tools. */
export type OperationContext<Config = ValuesByName, Params = ValuesByName> = OperationTools & {
  config: Config;
  params: Params;
  /**
   * Values of the named elements of the html widget that called the operation, declared as inputs or
   * not: the element named `days` is `input.days`. A checkbox or radio is there only when it is
   * checked. Empty in every other call.
   *
   * @example const isDry = "dry_run" in input;
   */
  input: Readonly<Record<string, string>>;
};

/** What `health` gets. */
export type HealthContext<Config = ValuesByName> = CallTools & { config: Config };

/** What `lookup` gets: the picker's source and what the user has typed so far. */
export type LookupContext<Config = ValuesByName> = CallTools & {
  config: Config;
  source: string;
  query: string;
};

/** Values by the field names their author wrote. */
export type ValuesByName = Record<string, unknown>;
