import type { Db, RunSource, RunStatus } from "./tables.ts";

/** One audit row. `request` and `response` are JSON text, sealed and cut. */
export type RunRecord = {
  id: string;
  parentRunId: string | null;
  connectorId: string | null;
  rowLabel: string | null;
  operationKey: string;
  userId: string;
  tokenId: string | null;
  source: RunSource;
  status: RunStatus;
  errorCode: string | null;
  errorMsg: string | null;
  request: string | null;
  response: string | null;
  /** The stored request is not whole, so it cannot be replayed. */
  requestCut: boolean;
  latencyMs: number | null;
  httpStatus: number | null;
  ipAddress: string | null;
  userAgent: string | null;
  instanceId: string;
  startedAt: number;
  endedAt: number | null;
};

export type RunFilter = {
  connectorId?: string;
  userId?: string;
  status?: RunStatus;
  source?: RunSource;
  operationKey?: string;
  /** Only runs newer than the run with this id. */
  after?: string;
  /** Only runs older than the run with this id: the last one of a page asks for the next page. */
  before?: string;
  limit: number;
};

export declare function findRun(db: Db, id: string): Promise<RunRecord | null>;
/** Newest first. */
export declare function listRuns(db: Db, filter: RunFilter): Promise<RunRecord[]>;
/** Deletes at most `limit` runs that ended before a time, oldest first; returns how many. */
export declare function purgeRuns(
  db: Db,
  bounds: { endedBefore: number; limit: number },
): Promise<number>;
/**
 * Turns runs that were left `running` into `cancelled` when their instance is gone or has not beaten
 * since `deadBefore`; returns how many.
 */
export declare function cancelInterruptedRuns(
  db: Db,
  bounds: { deadBefore: number },
): Promise<number>;
