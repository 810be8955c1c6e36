import type { ErrorCode } from "../../errors.ts";
import type { SpanCounts } from "../tracing/tracing.ts";

/** An ended call for the metrics. */
export type MeasuredCall = {
  /** Whether it came over MCP, and therefore through a meta-tool. */
  isMcp: boolean;
  operationKey: string;
  /** The meta-tool that runs an operation; absent for others. */
  metaTool?: string | undefined;
  /** Null for a meta-tool that runs no operation, and for a call whose row was not found. */
  connectorKey: string | null;
  status: string;
  errorCode: string | null;
  latencyMs: number;
};

/** How a process reaches a database server. */
export type DatabaseStatus = {
  /** The duration of a statement that reads nothing, when it was last measured. */
  roundTripMs: number;
  /** By how much the database's clock is ahead of this machine's. */
  clockOffsetMs: number;
  connections: {
    max: number;
    /** Open ones. */
    open: number;
    /** Statements and transactions in progress. */
    busy: number;
    /** Callers that wait for a connection. */
    waiting: number;
    /** Opened since the start; more than `max` if some were lost. */
    opened: number;
  };
};

/** The processes that run scripts: those of workflows, and those that call the hub. Killed ones are counted since the start. */
export type CodeProcesses = {
  /** Those that run a script, or start for one. */
  busy: number;
  idle: number;
  /** What waits for a process: nodes to be run, sources to be checked, and scripts that call the hub. */
  waiting: { run: number; check: number; script: number };
  killed: Record<CodeKillReason, number>;
};

/** `crash`: it ended by itself, or sent what no answer can be. `cancelled`: its run ended before the script. */
export type CodeKillReason = "timeout" | "memory" | "crash" | "cancelled";

/** Values that are read when the metrics are scraped. */
export type Gauges = {
  version: string;
  usersByStatus: Readonly<Record<string, number>>;
  sessions: number;
  rows: number;
  pluginProcesses: number;
  /** Requests that are being answered, except for calls, and requests that wait in their lane. */
  requests: { running: number; waiting: number };
  /** Calls that wait for their connector. */
  callsRunning: number;
  /** Recorded calls that wait to be written. */
  runWritesWaiting: number;
  code: CodeProcesses;
  /** Null without embeddings. */
  embeddings: { texts: number; vectors: number } | null;
  /** Servers that are alive on the database. */
  serversByVersion: Readonly<Record<string, number>>;
  /** Null for a database in this process. */
  database: DatabaseStatus | null;
  /** Null if no traces are recorded. */
  spans: SpanCounts | null;
  /** Lines of the log that could not be written since the start. */
  logLinesLost: number;
};

/** The hub's metrics. No label names a user, a row or an address. */
export type Metrics = {
  countRequest(door: string, httpStatus: number): void;
  /** Counts a request that was refused before it became a call. */
  countRefusal(code: ErrorCode): void;
  countCall(call: MeasuredCall): void;
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
  /** Writes all metrics in the text format of Prometheus. */
  write(gauges: Gauges): Promise<{ text: string; contentType: string }>;
};

export type SignInMethod = "password" | "single_sign_on" | "second_factor" | "passkey";

export type SignInOutcome = "success" | "refused" | "failed";

/** For processes without metrics: stdio sessions and commands. */
export const noMetrics: Metrics = {
  countRequest() {},
  countRefusal() {},
  countCall() {},
  countSignIn() {},
  write: async () => ({ text: "", contentType: "text/plain" }),
};
