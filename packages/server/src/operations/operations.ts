import type { Health, Json, LookupItem, WidgetClick } from "@hub/connector";
import type { FoundTool, ToolDetail, ToolEntry } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";

/** Where a call came from, as the audit row tells it. */
export type CallOrigin = {
  source: "mcp" | "test" | "retry";
  ip: string | null;
  userAgent: string | null;
};

/** Progress of a running operation; `message` is sealed before anyone sees it. */
export type ProgressReport = { done: number; total?: number; message?: string };

/** What every call carries through the pipeline. */
export type CallContext = {
  caller: Caller;
  origin: CallOrigin;
  /** Aborts when the client cancels or, where its mode says so, leaves. */
  signal: AbortSignal;
  onProgress?: (report: ProgressReport) => void;
  parentRunId?: string;
};

/** What an operation answers: the value, sealed and cut to size, and its compact JSON text. */
export type SealedResult = {
  value: Json;
  text: string;
  /** The audit row of the call. */
  runId: string;
};

/** The hub's operations as doors (MCP, command line, later the pages) use them. */
export type Operations = {
  /** Runs one operation through every check and records it. Throws a HubError, sealed. */
  execute(ctx: CallContext, request: ExecuteRequest): Promise<SealedResult>;
  /**
   * The manager's test path: also runs operations that clients are never offered, and rows that
   * are switched off. Only for callers who may manage the row.
   */
  test(ctx: CallContext, request: ExecuteRequest): Promise<SealedResult>;
  /** Asks whether the row's configuration works. Only for callers who may manage the row. */
  checkHealth(ctx: CallContext, rowId: string): Promise<Health>;
  /**
   * Items of a picker of the row's settings, twenty at most; kept for a minute. Only for callers who
   * may manage the row.
   */
  lookUp(
    ctx: CallContext,
    question: { rowId: string; source: string; query: string },
  ): Promise<LookupItem[]>;
  /** Stops a call that runs in this process. False when it does not. Only for who may stop it. */
  cancel(runId: string, reason: string): boolean;
  /** Records any other call: one audit row, whatever `answer` does; rethrows what it threw. */
  record(ctx: CallContext, call: RecordedCall, answer: () => Promise<Json>): Promise<SealedResult>;
  listTools(caller: Caller): Promise<ToolEntry[]>;
  /** Best matches first: `limit` of them after the first `offset`; `total` counts all matches. */
  searchTools(caller: Caller, search: ToolQuery): Promise<{ tools: FoundTool[]; total: number }>;
  /** Throws what `execute` would throw for the same tool before it reads any params. */
  getTool(caller: Caller, toolId: string): Promise<ToolDetail>;
};

/** What `hub_search` looks for, and which part of the ranked matches it returns. */
export type ToolQuery = {
  query: string;
  /** 20 when left out. */
  limit?: number | undefined;
  offset?: number | undefined;
};

export type ExecuteRequest = {
  toolId: string;
  params: Record<string, unknown>;
  /** On the manager's path, a call that an html widget makes. */
  widget?: WidgetCall;
};

export type WidgetCall = WidgetClick & {
  /** Gets the `fields` of the answer as the connector gave them, before anything is sealed. */
  takeFields?(fields: unknown): void;
};

/** A call that runs no operation: `operationKey` is the meta-tool's name. */
export type RecordedCall = { operationKey: string; request: Json };
