import type {
  ConnectorLog,
  DiscoveredOperation,
  FieldSpec,
  FoundServer,
  Health,
  Issue,
  Json,
  JsonSchema,
  LookupItem,
  MaskOptions,
  OperationSpec,
  OutboundPolicy,
  RowOperation,
  TraceContext,
  WidgetClick,
} from "@hub/connector";
import type { Caller } from "../caller.ts";
import type { JsonInTextReader } from "../lib/json/json-in-text.ts";
import type { DescribedSystem } from "./by-row/described-system.ts";
import type { Elicitation } from "./elicitation.ts";

/** An operation of a connector, or of a row. */
export type Operation = OperationSpec & {
  /** Set if the row brought it. Then its params follow a schema of their own. */
  fromRow?: OperationFromRow;
  /** It changes nothing anywhere: its author says so, or an admin has marked it, if an outside system describes it. */
  reads?: true;
  /**
   * An admin says, row by row, whether it only reads: the connector does not know, or its author is not trusted to say. Operations that
   * rows bring do not need it.
   */
  isMarkable?: true;
};

export type OperationFromRow = {
  /** Parsed on each use, because most operations are never used. */
  readRowOperation(): RowOperation;
  readSchema(): JsonSchema;
  /** Whether it accepts params that the schema does not name. */
  hasOtherParams(): boolean;
  /** The params with values in the types that the schema takes: see `fitToSchema`. */
  fit(
    reader: JsonInTextReader,
    params: Record<string, unknown>,
    depth: number,
  ): Promise<FittedParams>;
  /** The first issue of params with the schema; null if they are valid. */
  check(params: unknown): Promise<Issue | null>;
  /** What an admin has not seen yet. Only an operation with null can be called. */
  review: "new" | "changed" | "invalid" | "gone" | null;
};

/** The issues are texts that are too large to be parsed. */
export type FittedParams = { params: Record<string, unknown>; issues: readonly Issue[] };

/** A connector as the hub uses it, built-in or plugin. */
export type RegisteredConnector = {
  key: string;
  name: string;
  description: string;
  icon: string;
  tier: "builtin" | "plugin";
  /** The fingerprint of the trusted key that signed the plugin. Absent without one. */
  publisher?: string;
  /** Protocol version of a plugin. Version-1 plugins check the inputs of their operations themselves. */
  protoVersion?: number;
  /** The version of a plugin. */
  version?: string;
  configFields: readonly FieldSpec[];
  /**
   * Its rows are channels: each has a slug and receives events. What its operations send leaves the
   * hub for people, so they do not open value tokens.
   */
  isChat?: true;
  /**
   * The hub itself makes the rows, from something else: a sentence that says from what, and what to
   * change instead. Such rows are neither added nor changed by hand, but can be disabled.
   */
  madeFrom?: string;
  /** Whether a row with these stored texts starts a program of an admin's choice on this machine. */
  startsProgram?(texts: ReadonlyMap<string, string>): boolean;
  /** Whether a row with these stored texts is connected by an admin, who signs in elsewhere. */
  needsConnection?(texts: ReadonlyMap<string, string>): boolean;
  /**
   * Finds likely secrets among the texts of a row that are stored in plain text, and moves them into the
   * row's field `secrets`, whose text is given. Returns the fields to save.
   */
  sealExposed?(
    texts: ReadonlyMap<string, string>,
    secrets: string | undefined,
  ): { exposed: { field: string; name: string }[]; texts: ReadonlyMap<string, string> };
  /** Empty if its rows bring their operations. */
  operations: ReadonlyMap<string, Operation>;
  /**
   * What answers calls of a row with these stored texts: an address, or a program. A mark of an operation is lost when it changes.
   * Absent if marks do not depend on it.
   */
  markedFor?(texts: ReadonlyMap<string, string>): string;
  /**
   * Operations that run scripts of their callers. They open no value tokens, make calls of their own, which count in
   * place of theirs, and no script calls them.
   */
  scriptOperations?: ReadonlySet<string>;
  /** Operations that do not exist for other users than admins, over every path. */
  adminOperations?: ReadonlySet<string>;
  /** The only operations for callers with a bound token. Absent if these have all: the operations use nothing but their row. */
  boundOperations?: ReadonlySet<string>;
  /** Runs one operation; resolves with its result, rejects with its error. */
  invoke(call: Invocation): Promise<unknown>;
  /** Checks with the outside system that this configuration works. */
  health?(call: ConnectorCall): Promise<ProgramHealth>;
  /** How long the start of the program of a row with this configuration may take; 0 without a program. */
  startMs?(config: Readonly<Record<string, unknown>>): number;
  /** Items of a picker field. */
  lookup?(call: ConnectorCall & { source: string; query: string }): Promise<LookupItem[]>;
  /** Asks the outside system for the row's operations. Present if the rows bring their operations. */
  discover?(call: DiscoverCall): Promise<DiscoveredOperation[]>;
  /** The servers that a row's document names. Present if documents of its rows name some. */
  findServers?(call: DocumentCall): Promise<FoundServer[]>;
  /** Generates a new value of a `regen` field. */
  generate?(fieldKey: string): Promise<string>;
};

/** Whether a row works, and what its program wrote last if it does not: for admins. */
export type ProgramHealth = Health & { program_output?: string };

/** The memory for large answers that a call may use. */
export type AnswerBudget = {
  /** Null if the bytes are available now; else resolves when they are. */
  take(bytes: number): Promise<void> | null;
  /** For bytes that have already arrived: false if they exceed the budget. */
  takeArrived(bytes: number): boolean;
};

/** The kinds of content blocks that a client may take beside a result, as MCP names them. */
export type ContentKind = "image" | "audio" | "resource" | "resource_link";

/** A content block from outside, beside a result. */
export type ContentBlock = {
  kind: ContentKind;
  /** Its members except binary content, by MCP's names; of a resource, those of `resource`. They are sealed. */
  members: Record<string, Json>;
  /** The content of an image, a sound or a binary resource. It is searched for secrets, not sealed. */
  bytes?: Uint8Array;
};

/** What became of a content block: its index in the content that the client receives, or why it has none. */
export type Attached = { block: number } | { left_out: string };

/** What the calls that an operation makes take over from its own call. */
export type OuterCall = {
  origin: {
    source: "mcp" | "test" | "retry" | "workflow";
    ip: string | null;
    userAgent: string | null;
    isByHand?: boolean;
  };
  /** The caller as stored now; null if the caller may no longer use the hub. */
  findCaller?: () => Promise<Caller | null>;
  /** Waits for the turn of the caller among all who send requests. */
  waitForTurn?: (signal: AbortSignal) => Promise<void> | null;
  traceContext?: TraceContext | null;
};

/** An account of a user, as a connector knows it. */
export type CallAccount = {
  id: string;
  userId: string;
  kind: "token" | "oauth";
  tokensId: string;
  /** The row's configuration and connection without the account. */
  rowConfig: Record<string, unknown>;
  rowConnectionId: string | null;
};

/** The context of every call into a connector. */
export type ConnectorCall = {
  rowId: string;
  /** Memory for an answer above 256 KiB is taken from here before more of it is read. */
  memory: AnswerBudget;
  /** Of the row's OAuth connection; null if there is none. */
  connectionId: string | null;
  /** The account of a user with which the call uses the row. Absent if it uses the row's own access. */
  account?: CallAccount;
  /** The row's configuration: typed, by wire key, defaults applied. */
  config: Record<string, unknown>;
  signal: AbortSignal;
  caller: Caller;
  /** Whether a node of a workflow makes the call. */
  isFromWorkflow?: boolean;
  /** The call in which the connector is used. */
  outer?: OuterCall;
  /** The network address of the client; null over stdio and in runs of workflows. */
  ip?: string | null;
  /** Ids of the other hubs that the call has passed. */
  hubs?: readonly string[];
  outbound: OutboundPolicy;
  log: ConnectorLog;
  runId: string;
  /** The trace context of this call; absent if no traces are recorded. */
  trace?: TraceContext;
  /** Plaintexts in row and params, which must be masked in the connector's output. */
  secrets: readonly string[];
  /** Adds a value that leaves the hub only as a token. */
  mask(value: string, options?: MaskOptions): void;
  maskIgnoreCase(value: string, options?: MaskOptions): void;
  progress(done: number, total?: number, message?: string): void;
  /** Passes a block on beside the result. `path` is its place in the result, which describes it. */
  attach(block: ContentBlock, path: ReadonlyArray<string | number>): Attached;
  /** How the person whose client makes the call is asked. Absent if that client is asked nothing. */
  elicit?: Elicitation | undefined;
  /** Records the status of the outside system's latest HTTP answer in the audit row. */
  recordHttpStatus(status: number): void;
};

/** A call about a row's document. */
export type DocumentCall = ConnectorCall & {
  /** Read instead of what the configuration names. */
  document?: string;
};

/** One discovery of a row's operations. */
export type DiscoverCall = DocumentCall & {
  /** Takes an operation that cannot be offered, and why. */
  leaveOut?(sourceName: string, reason: string): void;
  /** Takes what the outside system says of itself. The hub's own connectors call it once, if it is given. */
  describe?(system: DescribedSystem): void;
};

/** One execution of an operation. */
/** What an admin has approved of an operation that a row brought. */
export type ApprovedOperation = Pick<Operation, "name" | "description" | "destructive" | "reads">;

export type Invocation = ConnectorCall & {
  operation: string;
  /** The operation, if the row brought it. */
  rowOperation?: RowOperation;
  /** The same as an admin has approved it, if the call uses an account of a user, who may be offered another one. */
  approved?: ApprovedOperation;
  /** Validated params: typed, by wire key. */
  params: Record<string, unknown>;
  /** The same for each try of a step of a workflow. Absent in all other calls. */
  idempotencyKey?: string;
  /** Set for calls of an html widget. */
  widget?: WidgetClick;
};
