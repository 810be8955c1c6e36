import type { RunRecord } from "./runs.ts";
import type { RunStatus } from "./tables.ts";

/** What is known of a run before it starts. The id is `Bun.randomUUIDv7()`: newer runs sort later. */
export type NewRun = Pick<
  RunRecord,
  | "id"
  | "parentRunId"
  | "connectorId"
  | "rowLabel"
  | "operationKey"
  | "userId"
  | "tokenId"
  | "source"
  | "request"
  | "requestCut"
  | "ipAddress"
  | "userAgent"
  | "instanceId"
  | "startedAt"
>;

/** How a run ended. */
export type RunOutcome = {
  status: Exclude<RunStatus, "running">;
  errorCode: string | null;
  errorMsg: string | null;
  response: string | null;
  latencyMs: number;
  httpStatus: number | null;
  endedAt: number;
};

/**
 * Writes audit rows. Calls made in one turn of the event loop share one commit; each resolves when
 * its row is on disk, and rejects with a HubError when it is not.
 */
export type RunRecorder = {
  /** Writes the row with status `running`. */
  begin(run: NewRun): Promise<void>;
  /** Adds the outcome to a row that was begun. */
  finish(id: string, outcome: RunOutcome): Promise<void>;
  /** Writes a row with its outcome at once. */
  insertFinished(run: NewRun & RunOutcome): Promise<void>;
  /** Resolves when everything asked for so far is on disk or was refused. */
  drain(): Promise<void>;
};
