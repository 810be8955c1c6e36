import type { FoundServer, Json, LookupItem } from "@hub/connector";
import type { RowEntry, ToolDetail, ToolEntry } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import type { CleanDiscovery } from "../connectors/by-row/clean-discovery.ts";
import type { ProgramHealth } from "../connectors/connector-port.ts";
import type { HubError } from "../errors.ts";
import type { PendingCall } from "../store/pending/pending-call-record.ts";
import type { KeptAnswer } from "./answers/kept-answer.ts";
import type { CallTask } from "./calls/call-task.ts";
import type { RunningCalls } from "./calls/running-calls.ts";
import type { RightWatch } from "./calls/watch-right.ts";
import type { BrowsedTools, BrowseQuery } from "./catalogue/browse-tools.ts";
import type { RowNames } from "./catalogue/name-rows.ts";
import type {
  BatchRequest,
  CallContext,
  CheckContext,
  CheckedCall,
  CheckedRequest,
  DiscoverRequest,
  ExecuteRequest,
  ExploreRequest,
  FoundTools,
  RecordedCall,
  SealedResult,
  ToolName,
  ToolQuery,
} from "./operations.ts";
import type { RunningCall } from "./pending/follow-running-call.ts";
import type { ClaimedEnd } from "./pending/pending-calls.ts";
import type { TaskQuestion, TaskQuestions } from "./pending/task-questions.ts";
import type { ExploredSystem } from "./questions/explore-system.ts";
import type { IsChange } from "./questions/watch-row-health.ts";

/** Calls of operations, as clients make them. What holds for every call decorates this port. */
export type Calls = {
  /** Checks, runs and records one operation. Throws a sealed HubError. */
  call(ctx: CallContext, request: ExecuteRequest): Promise<SealedResult>;
  /**
   * The same for a person who tries an operation, also for an admin. In addition, the row must let its caller
   * test it.
   */
  tryOut(ctx: CallContext, request: Omit<ExecuteRequest, "widget">): Promise<SealedResult>;
  /**
   * Throws the errors that `call` throws for the same request before it calls the connector, without the
   * limits. Nothing is recorded, and no person is asked.
   */
  check(ctx: CheckContext, request: CheckedRequest): Promise<CheckedCall>;
};

/** Several calls of operations in one message of a client. */
export type Batches = {
  /**
   * Runs calls that read, each with its own checks, limits, mask and record, as if it came alone. The batch has a
   * record of its own. Its answer is `{results}` in the order of the calls.
   */
  read(ctx: CallContext, batch: BatchRequest): Promise<SealedResult>;
  /** The same for a person who tries operations, as `Calls.tryOut` does. */
  tryOut(ctx: CallContext, batch: BatchRequest): Promise<SealedResult>;
};

/** The operations that a caller may call now. */
export type ToolCatalogue = {
  list(caller: Caller): Promise<ToolEntry[]>;
  /** An answer with the whole list, which is kept until the rows of the caller change. It must depend on the entries alone. */
  listAll(caller: Caller, toAnswer: (entries: readonly ToolEntry[]) => Json): Promise<KeptAnswer>;
  /** The rows that have an operation which the caller may call, in the order of `list`. */
  listRows(caller: Caller): Promise<RowEntry[]>;
  /** The labels of a few rows, for the begin of a session. Costs no more with thousands of operations. */
  nameRows(caller: Caller): Promise<RowNames>;
  /**
   * Returns the best matches first: `limit` of them after the first `offset`. `total` counts all
   * matches.
   */
  search(caller: Caller, query: ToolQuery): Promise<FoundTools>;
  /** A page of what the caller may call, for people: with words as `search` ranks it, else by rows in order. */
  browse(caller: Caller, wanted: BrowseQuery): Promise<BrowsedTools>;
  /** Builds the index of the search, if rows have changed since. */
  prepareSearch(): Promise<void>;
  /**
   * Throws the errors that a call throws for the same tool before it reads the params. A text is a whole tool id, as it
   * is stored.
   */
  get(caller: Caller, tool: string | ToolName): Promise<ToolDetail>;
};

/** What those who manage a row ask its connector. The service checks that the caller may manage the row. */
export type Rows = {
  /** The test path: also runs operations that clients are not offered, and those of disabled rows. */
  test(ctx: CallContext, request: ExecuteRequest): Promise<SealedResult>;
  /** Asks whether the row's configuration works. */
  health(ctx: CallContext, rowId: string): Promise<ProgramHealth>;
  /** The same for a timer: recorded only if the outcome is a change. Failures of the row are no errors. */
  watchHealth(ctx: CallContext, rowId: string, isChange: IsChange): Promise<void>;
  /** Returns at most twenty items for a picker of the row's settings. They are cached for a minute. */
  lookUp(
    ctx: CallContext,
    question: { rowId: string; source: string; query: string },
  ): Promise<LookupItem[]>;
  /**
   * Asks the row's outside system for its operations. Throws `not_found` if rows of its connector bring
   * none.
   */
  discover(ctx: CallContext, request: DiscoverRequest): Promise<CleanDiscovery>;
  /** Asks an outside system for its operations before there is a row of it. For admins. */
  explore(ctx: CallContext, request: ExploreRequest): Promise<ExploredSystem>;
  /** Asks for the servers that a row's document names, with the same checks. */
  findServers(ctx: CallContext, request: DiscoverRequest): Promise<FoundServer[]>;
};

/** Calls that have no row, with the same record. Who makes one checks that the caller may. */
export type CallRecords = {
  /** Records a call in one audit row and rethrows the error of `answer`. */
  record(
    ctx: CallContext,
    call: RecordedCall,
    answer: () => Promise<Json | KeptAnswer>,
  ): Promise<SealedResult>;
  /**
   * Answers as `record` does, with the same limits, and records nothing: for people who look at what a client
   * would be answered.
   */
  answer(
    ctx: CallContext,
    call: RecordedCall,
    answer: () => Promise<Json | KeptAnswer>,
  ): Promise<SealedResult>;
  /** Runs and records a call of the hub itself to an outside system. */
  runTask(ctx: CallContext, task: CallTask): Promise<SealedResult>;
};

/** A pending call, as its own client may be told of it. */
export type ClientQuestion = Pick<PendingCall, "id" | "state" | "shown"> & {
  /** Whether the rule lets a form in the client confirm the call. */
  isConfirmedByClient: boolean;
};

/** The questions of calls that wait, for the protocol that tells clients of them. Those of other principals do not exist. */
export type ClientQuestions = {
  /** Null if the caller has no such pending call. */
  find(ctx: CallContext, id: string): Promise<ClientQuestion | null>;
  /** Its state alone, which costs less. */
  findState(ctx: CallContext, id: string): Promise<ClientQuestion["state"] | null>;
  /**
   * Decides a call that its rule lets its own client confirm. False if it is another one, or was decided, is late or has
   * ended.
   */
  decide(ctx: CallContext, id: string, decision: "approved" | "denied"): Promise<boolean>;
};

/** A call that its client follows by an id, in place of an open request. */
export type PendingTask = {
  id: string;
  toolId: string;
  /** Milliseconds since 1970, as the others. */
  createdAt: number;
  updatedAt: number;
  /** When the hub forgets it. It becomes later when the call ends. */
  keptUntil: number;
  state: TaskState;
};

export type TaskState =
  | {
      kind: "waiting";
      question: ClientQuestion;
      reason: PendingCall["reason"];
      /** The page on which people decide or connect. Null if no server runs. */
      url: string | null;
      /** Whether the user of the client decides. */
      isForCaller: boolean;
      /** Whether the client has answered what the task asked. */
      isAnswered: boolean;
    }
  | { kind: "running" }
  /** It runs, and the outside system asks the user of the client. */
  | { kind: "asking"; question: TaskQuestion }
  /** The JSON text of the result. */
  | { kind: "done"; text: string }
  /** Of the call, for the model. */
  | { kind: "refused"; failure: HubError }
  | { kind: "cancelled" }
  /** The process died while the call ran. */
  | { kind: "unknown" };

/** The tasks of callers. Those of other users and principals do not exist. */
export type PendingTasks = {
  /** Makes a task of a pending call. Null if the caller has none with this id, or it has ended. */
  make(ctx: CallContext, id: string): Promise<PendingTask | null>;
  /** Makes a task of a call that is out. Null if the user has too many of them. The call goes on. */
  follow(ctx: CallContext, running: RunningCall): Promise<PendingTask | null>;
  /** Stores how a call ended that `follow` has made a task of. */
  finish(call: { id: string; runId: string; userId: string }, end: ClaimedEnd): Promise<void>;
  /** Null if there is none, if it is too old, or if the caller may not call the operation any more. */
  find(ctx: CallContext, id: string): Promise<PendingTask | null>;
  /** Those of these ids that are tasks of the caller. Cheaper than `find`: it reads no result, and no right to it. */
  listOwn(ctx: CallContext, ids: readonly string[]): Promise<string[]>;
  /** Texts that are different after a task has changed, by id. Of any caller: they name nothing, and are never sent. */
  listStamps(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The client has answered what the task asked. It is not asked again. */
  markAnswered(ctx: CallContext, id: string): Promise<void>;
  /** The client has answered what the outside system asks, by the keys of its questions. Others have no effect. */
  answer(ctx: CallContext, id: string, responses: Readonly<Record<string, Json>>): Promise<void>;
  /** For the process that runs the call. */
  questions: TaskQuestions;
  /** Ends a call that waits, and stops one that runs. Null as in `find`. The end may still be another one. */
  cancel(ctx: CallContext, id: string): Promise<PendingTask | null>;
};

/** The ports of the call pipeline. Each user takes those that it uses. */
export type Operations = {
  calls: Calls;
  batches: Batches;
  catalogue: ToolCatalogue;
  rows: Rows;
  records: CallRecords;
  questions: ClientQuestions;
  tasks: PendingTasks;
  /** Whether a caller may still get what its calls have returned. */
  rights: Pick<RightWatch, "checkTargets">;
  /** The calls of this process. The service checks that the caller may cancel one. */
  running: Pick<RunningCalls, "cancel" | "count">;
};
