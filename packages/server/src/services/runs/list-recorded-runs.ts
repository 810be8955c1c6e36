import { parseJson } from "@hub/connector";
import { type Run, type RunDetail, runSourceSchema, runStatusSchema } from "@hub/contract/run.ts";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import type { Db } from "../../store/database/database.ts";
import { listRunPage, type RunPageFilter } from "../../store/runs/run-pages.ts";
import { findRun, type ListedRun } from "../../store/runs/runs-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { hideAccountLabel, loadRunNames, toRun } from "./present-run.ts";

type RunDeps = Pick<ServiceDeps, "store">;

const runIdSchema = z.uuid({ error: "must be the id of a recorded call." }).toLowerCase();

const filterSchema = z.strictObject({
  /** Id of an existing or deleted row. */
  rowId: z.string().optional(),
  userId: z.string().optional(),
  status: runStatusSchema.optional(),
  source: runSourceSchema.optional(),
  operation: z.string().optional(),
  /** Id of a message or script: only the calls that it made. */
  causeId: runIdSchema.optional(),
  /** Only runs newer than this one. */
  after: runIdSchema.optional(),
  /** Only runs older than this one. */
  before: runIdSchema.optional(),
  limit: z
    .int({ error: "must be a whole number." })
    .min(1, { error: "must be at least 1." })
    .max(1000, { error: "must be at most 1000." })
    .default(50),
});

export type RunFilterInput = z.input<typeof filterSchema>;

/** Recorded calls, newest first. For admins. */
export async function listRuns({ store }: RunDeps, input: RunFilterInput = {}): Promise<Run[]> {
  const { rowId, operation, limit, ...rest } = checkInput(filterSchema, input);
  const wanted = Object.entries({ ...rest, connectorId: rowId, operationKey: operation }).filter(
    ([, value]) => value !== undefined,
  );
  const runs = await findRuns(store.db, { limit, ...Object.fromEntries(wanted) });
  const names = await loadRunNames(store.db, runs, { seesRequest: () => true });
  return runs.map((run) => toRun(run, names));
}

/** Looks at all runs, page by page: one statement for rare runs among millions would last too long. */
async function findRuns(db: Db, filter: RunPageFilter): Promise<ListedRun[]> {
  const runs: ListedRun[] = [];
  for (let { before } = filter; ; ) {
    const limit = filter.limit - runs.length;
    const page = await listRunPage(db, {
      ...filter,
      limit,
      ...(before !== undefined && { before }),
    });
    runs.push(...page.runs);
    if (page.next === null || runs.length === filter.limit) return runs;
    before = page.next;
  }
}

/** One recorded call with its request and response. For admins. */
export async function showRun({ store }: RunDeps, id: string): Promise<RunDetail> {
  const run = await findRun(store.db, id.trim().toLowerCase());
  if (run === null) {
    throw new HubError(
      "not_found",
      `There is no call "${id}". List the calls to see their ids. Old calls are purged.`,
    );
  }
  return {
    ...toRun(run, await loadRunNames(store.db, [run], { seesRequest: () => true })),
    request: run.request === null ? null : parseJson(run.request),
    response: run.response === null ? null : parseJson(run.response),
    request_cut: run.requestCut,
    account: hideAccountLabel(run.account),
  };
}
