import type { Json, TraceContext, WidgetClick } from "@hub/connector";
import type { ToolDetail, ToolSearch } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import type { ContentKind } from "../connectors/connector-port.ts";
import type { ElicitationRelay } from "../connectors/elicitation.ts";
import type { Mask } from "../secrets/masks/mask.ts";
import type { Admitted, ToolCall } from "./admission/call.ts";
import type { KeptAnswer } from "./answers/kept-answer.ts";
import type { RowsWithin } from "./catalogue/tool-catalogue.ts";

/** The origin of a call, for the audit row. */
export type CallOrigin = {
  source: "mcp" | "test" | "retry" | "workflow";
  ip: string | null;
  userAgent: string | null;
  /** Of a workflow: its owner started the run. Other runs use no accounts of users. */
  isByHand?: boolean;
};

/** What made a call that its client did not make itself. `id` is stored with the call. */
export type CallCause = RetryCause | WorkflowCause | MessageCause | PendingCause;

/** A call that repeats the stored params of the call `id`. */
export type RetryCause = { kind: "retry"; id: string };

/** A call that is one of several: of the message, or of the script, whose record is `id`. */
export type MessageCause = {
  kind: "batch" | "script";
  id: string;
  /** The step of a workflow that runs the message or the script. Absent if none does. */
  workflow?: WorkflowCause;
};

/** A call that the hub makes by itself, because people have approved the pending call `id`. */
export type PendingCause = { kind: "pending"; id: string };

/** A step of the workflow's run `id`. */
export type WorkflowCause = {
  kind: "workflow";
  id: string;
  /** Who or what started the run. */
  startedBy: string;
  /** The same for each try of the step that makes the call. */
  idempotencyKey: string;
  /** The step that makes the call. Absent if none of them waits for people. */
  step?: CallingStep;
};

/** A step of a workflow's run. Each of its tries is a call of its own: an approval of one permits no other. */
export type CallingStep = {
  nodeId: string;
  /** -1, or the index of the item of `for_each`. */
  item: number;
  /** 1 for the first try. */
  attempt: number;
};

/** The cause of a call, if a workflow's run made it. */
export function findWorkflowCause({ cause }: Pick<CallContext, "cause">): WorkflowCause | null {
  return cause?.kind === "workflow" ? cause : null;
}

/** The step of a workflow that makes a call, itself or by a script. */
export function findCallingWorkflow({ cause }: Pick<CallContext, "cause">): WorkflowCause | null {
  if (cause?.kind === "batch" || cause?.kind === "script") return cause.workflow ?? null;
  return cause?.kind === "workflow" ? cause : null;
}

/** Progress of a running operation. `message` is sealed before it is sent. */
export type ProgressReport = { done: number; total?: number; message?: string };

/**
 * What the client of a call says about itself. It is a claim: it says how the client can be told something, and permits
 * nothing.
 */
export type ClientTold = {
  /** How it is asked: by the answer to its request, or by a request of the hub. */
  mode: "session" | "stateless";
  /** Null if it does not say. At most 100 characters, as the version. */
  name: string | null;
  version: string | null;
  elicitation: { form: boolean; url: boolean };
  sampling: boolean;
  roots: boolean;
  /** Whether it declares the extension Tasks. */
  tasks: boolean;
};

/** A request to the person at a client, or to the client, as MCP writes it. */
export type ClientRequest = { method: string; params: Readonly<Record<string, Json>> };

/** Questions of an outside system with which a call ends, and the answers with which its client repeats it. */
export type QuestionRelay = Pick<ElicitationRelay, "answered" | "isOpen"> & {
  /** Ends the call with `input_required`. Always throws. */
  end(requests: Readonly<Record<string, ClientRequest>>, kept: Json): never;
};

/** How a client is told something after the answer to its call. */
export type LateNotices = {
  send(method: string, params: Readonly<Record<string, Json>>): void;
  /** Aborts when the client takes no more messages. */
  ended: AbortSignal;
};

/** The context of a call. Each step of the pipeline gets it. */
export type CallContext = {
  caller: Caller;
  origin: CallOrigin;
  /** Aborts when the client cancels and, in some protocol modes, when it disconnects. */
  signal: AbortSignal;
  onProgress?: (report: ProgressReport) => void;
  /** Whether the client gave a token for progress. Without one, a report opens an event stream and says nothing. */
  hasProgressToken?: boolean;
  /**
   * The caller as stored now; null, or a rejection, if the caller may no longer use the hub. With it, a call that runs
   * ends with the right of its caller, unless it is the step of a workflow: only the calls of its script read the caller
   * again. Absent if the right of the beginning is enough.
   */
  findCaller?: () => Promise<Caller | null>;
  /** Gets the id of the call's audit row once it is stored, also if the call fails. A call that is only counted has none. */
  onRecord?: (runId: string) => void;
  /** Gets what the call is of, once its caller is known to see it. */
  onTarget?: (target: Admitted<ToolCall>) => void;
  /** Absent if the client made the call itself. */
  cause?: CallCause;
  /** The trace context that came with the call itself, beside that of its request. */
  traceContext?: TraceContext | null;
  /** Absent if no client made the call, or if its client is not known, as after a restart of the hub. */
  client?: ClientTold;
  /**
   * Asks the client within the call, and waits for its result. Null if it refuses or does not answer. Absent where the
   * answer may reach another server.
   */
  askClient?: (request: ClientRequest) => Promise<Json | null>;
  /** Absent where no connection to the client stays after the answer. */
  lateNotices?: LateNotices;
  /** Asks the client by the answer to its call. Absent where no answer asks. */
  relay?: QuestionRelay;
  /** Ids of the other hubs that the call has passed, as its client says. */
  hubs?: readonly string[];
  /** The content blocks that the client takes beside a result. Absent if it takes JSON only. */
  contentKinds?: ReadonlySet<ContentKind>;
  /**
   * The characters of a request that is so large that the event loop needs a turn after each step that reads
   * it, and that its memory counts; 0 or absent for others.
   */
  largeChars?: number;
  /**
   * Waits for the turn of the caller among all who send requests; null if it need not wait. Each of several calls in
   * one request waits again, so that they do not delay the requests of others. Absent if nothing else shares the hub.
   */
  waitForTurn?: (signal: AbortSignal) => Promise<void> | null;
};

/** The result of an operation: the sealed value, cut to size, and its compact JSON text. */
export type SealedResult = {
  value: Json;
  text: string;
  /** JSON texts of the content blocks beside the result. */
  blocks?: readonly string[];
  /** The id of the call's audit row. */
  runId: string;
  /** The result says that all it is about has failed. */
  isError?: true;
  /** The answer whose text this is, if it is kept for other calls. */
  kept?: KeptAnswer;
};

/** The answer of `hub_search` without the query. */
export type FoundTools = Omit<ToolSearch, "query">;

/** The query of `hub_search`, and the page of the ranked matches that it returns. */
export type ToolQuery = {
  query: string;
  /** The default is 10. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** Searches these of the caller's rows only. */
  within?: RowsWithin;
  /** Compares no meanings, so that nothing is asked outside the hub. */
  isByWords?: true | undefined;
  /** The best results have their input schemas in place of signatures. */
  hasSchemas?: boolean | undefined;
};

export type DiscoverRequest = {
  rowId: string;
  /** Read instead of what the row's configuration names. */
  document?: string;
};

/** An outside system of which there is no row yet. */
export type ExploreRequest = {
  /** The key of its connector. */
  connector: string;
  /** Texts by field key, secrets in plaintext. */
  texts: ReadonlyMap<string, string>;
  /** Read instead of what the texts name. */
  document?: string | undefined;
};

/**
 * An operation as a caller names it in the arguments of a call. `toolId` is a whole tool id or an unambiguous beginning
 * of one: at least 8 characters of the row's id, with the operation. It is empty with `named`.
 */
export type ToolName = { toolId: string; named?: NamedOperation | undefined };

/** The label of a row, and the name or key of one of its operations. */
export type NamedOperation = { row: string; operation: string };

export type ExecuteRequest = ToolName & {
  params: Record<string, unknown>;
  /** A pending call of the same principal, whose stored request is made again. Then `params` is empty. */
  pendingId?: string | undefined;
  /** Runs only by an approval that holds: neither asks anew, nor runs as a call that no rule asks about. */
  onlyApproved?: boolean;
  /** The label of the account of its user that the call uses. */
  account?: string | undefined;
  /** Paths of the only parts of the result that are returned. */
  fields?: readonly string[] | undefined;
  /** Refuses an operation that may change something, before it is sent. */
  readsOnly?: boolean;
  /** Cuts the result to fewer bytes than the setting. */
  resultBytesMax?: number;
  /** The widget that makes the call. Clients have no widgets. */
  widget?: WidgetCall;
};

/** Several calls in one message. */
export type BatchRequest = {
  calls: ReadonlyArray<Pick<ExecuteRequest, "toolId" | "named" | "params" | "fields">>;
  /** One begins after the other has ended. The default is up to five at once. */
  ordered?: boolean | undefined;
  /** After a call that did not succeed, no further one begins. */
  stopOnError?: boolean | undefined;
};

/** The context of a check that makes no call. */
export type CheckContext = Pick<CallContext, "caller" | "origin" | "hubs" | "largeChars" | "cause">;

export type CheckedRequest = Pick<ExecuteRequest, "toolId" | "params">;

export type CheckedCall = {
  tool: ToolDetail;
  /** Why a call would wait for a person, for people; null if it would not. */
  asks: string | null;
};

/** Seals the secrets of a call. */
export type FieldMask = Pick<Mask, "sealText">;

export type WidgetCall = WidgetClick & {
  /** Gets the answer's `fields` as the connector returned them, and the call's mask for what is told of them. */
  takeFields?(fields: unknown, mask: FieldMask): void;
};

/** A call without an operation. `operationKey` is the name of the meta-tool. */
export type RecordedCall = {
  operationKey: string;
  request: Json;
  /** The result is returned whole, whatever its size. It must not come from outside. */
  isWhole?: boolean;
};
