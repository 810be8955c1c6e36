import type {
  FoundServer,
  Health,
  Json,
  LookupItem,
  TraceContext,
  WidgetClick,
} from "@hub/connector";
import type { ToolDetail, ToolEntry, ToolSearch } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import type { CleanDiscovery } from "../connectors/by-row/clean-discovery.ts";
import type { ContentKind } from "../connectors/connector-port.ts";
import type { CallTask } from "./call-task.ts";

/** The origin of a call, for the audit row. */
export type CallOrigin = {
  source: "mcp" | "test" | "retry" | "workflow";
  ip: string | null;
  userAgent: string | null;
};

/** The run of a workflow, and who or what started it. */
export type WorkflowOrigin = {
  runId: string;
  startedBy: string;
  /** The same for each try of the step that makes the call. */
  idempotencyKey: string;
};

/** Progress of a running operation. `message` is sealed before it is sent. */
export type ProgressReport = { done: number; total?: number; message?: string };

/** The context of a call. Each step of the pipeline gets it. */
export type CallContext = {
  caller: Caller;
  origin: CallOrigin;
  /** Aborts when the client cancels and, in some protocol modes, when it disconnects. */
  signal: AbortSignal;
  onProgress?: (report: ProgressReport) => void;
  /**
   * The caller as stored now; null if the caller may no longer use the hub. With it, a call that runs ends with the right
   * of its caller. Absent if the right of the beginning is enough.
   */
  findCaller?: () => Promise<Caller | null>;
  /** Gets the id of the call's audit row, also if the call fails. */
  onRecord?: (runId: string) => void;
  parentRunId?: string;
  /** The run of a workflow whose step makes the call. */
  workflow?: WorkflowOrigin;
  /** The trace context that came with the call itself, beside that of its request. */
  traceContext?: TraceContext | null;
  /** Ids of the other hubs that the call has passed, as its client says. */
  hubs?: readonly string[];
  /** The content blocks that the client takes beside a result. Absent if it takes JSON only. */
  contentKinds?: ReadonlySet<ContentKind>;
  /**
   * The characters of a request that is so large that the event loop needs a turn after each step that reads
   * it, and that its memory counts; 0 or absent for others.
   */
  largeChars?: number;
};

/** The result of an operation: the sealed value, cut to size, and its compact JSON text. */
export type SealedResult = {
  value: Json;
  text: string;
  /** JSON texts of the content blocks beside the result. */
  blocks?: readonly string[];
  /** The id of the call's audit row. */
  runId: string;
};

/** The hub's operations, as MCP, the API and the command line use them. */
export type Operations = {
  /** Checks, runs and records one operation. Throws a sealed HubError. */
  execute(ctx: CallContext, request: ExecuteRequest): Promise<SealedResult>;
  /**
   * Runs and records a call of the hub itself that has no row. The one who calls it checks that the
   * caller may make it.
   */
  executeTask(ctx: CallContext, task: CallTask): Promise<SealedResult>;
  /**
   * Runs and records a test. Of admins, it is the manager's path: it also runs operations that clients are not offered,
   * and disabled rows. Other users get `forbidden` unless the row lets them test. They test what clients can call, and
   * use the operations behind widgets.
   */
  test(ctx: CallContext, request: ExecuteRequest): Promise<SealedResult>;
  /**
   * Asks whether the row's configuration works. The service checks that the caller may manage the
   * row.
   */
  checkHealth(ctx: CallContext, rowId: string): Promise<Health>;
  /**
   * Returns at most twenty items for a picker of the row's settings. They are cached for a minute.
   * The service checks that the caller may manage the row.
   */
  lookUp(
    ctx: CallContext,
    question: { rowId: string; source: string; query: string },
  ): Promise<LookupItem[]>;
  /**
   * Asks the row's outside system for its operations. Throws `not_found` if rows of its connector bring
   * none. The service checks that the caller may manage the row.
   */
  discover(ctx: CallContext, request: DiscoverRequest): Promise<CleanDiscovery>;
  /** Asks for the servers that a row's document names, with the same checks. */
  findServers(ctx: CallContext, request: DiscoverRequest): Promise<FoundServer[]>;
  /**
   * Cancels a call that runs in this process. Returns false if there is none. The service checks
   * that the caller may cancel it.
   */
  cancel(runId: string, reason: string): boolean;
  /** The calls of this process that wait for their connector. */
  countRunning(): number;
  /** Records another call in one audit row and rethrows the error of `answer`. */
  record(ctx: CallContext, call: RecordedCall, answer: () => Promise<Json>): Promise<SealedResult>;
  listTools(caller: Caller): Promise<ToolEntry[]>;
  /**
   * Returns the best matches first: `limit` of them after the first `offset`. `total` counts all
   * matches.
   */
  searchTools(caller: Caller, search: ToolQuery): Promise<FoundTools>;
  /** Builds the index of the search, if rows have changed since. */
  prepareSearch(): Promise<void>;
  /**
   * Throws the errors that `execute` throws for the same request before it calls the connector, without the
   * limits. Nothing is recorded.
   */
  checkCall(caller: Caller, request: CheckedRequest): Promise<ToolDetail>;
  /** Throws the errors that `execute` throws for the same tool before it reads the params. */
  getTool(caller: Caller, toolId: string): Promise<ToolDetail>;
};

/** The answer of `hub_search` without the query. */
export type FoundTools = Omit<ToolSearch, "query">;

/** The query of `hub_search`, and the page of the ranked matches that it returns. */
export type ToolQuery = {
  query: string;
  /** The default is 20. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Compares no meanings, so that nothing is asked outside the hub. */
  isByWords?: true;
};

export type DiscoverRequest = {
  rowId: string;
  /** Read instead of what the row's configuration names. */
  document?: string;
};

export type ExecuteRequest = {
  toolId: string;
  params: Record<string, unknown>;
  /** Paths of the only parts of the result that are returned. */
  fields?: readonly string[] | undefined;
  /** The widget that makes the call. Clients have no widgets. */
  widget?: WidgetCall;
};

export type CheckedRequest = Pick<ExecuteRequest, "toolId" | "params">;

export type WidgetCall = WidgetClick & {
  /** Gets the answer's `fields` as the connector returned them, before they are sealed. */
  takeFields?(fields: unknown): void;
};

/** A call without an operation. `operationKey` is the name of the meta-tool. */
export type RecordedCall = {
  operationKey: string;
  request: Json;
  /** The result is returned whole, whatever its size. It must not come from outside. */
  isWhole?: boolean;
};
