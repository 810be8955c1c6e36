import { parseJson } from "@hub/connector";
import { type Run, type RunDetail, runSourceSchema, runStatusSchema } from "@hub/contract/run.ts";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { localAdmin } from "../../identity/local-admin.ts";
import type { Store } from "../../store/open-store.ts";
import { findRun, listRuns, type RunFilter } from "../../store/runs.ts";
import type { Db } from "../../store/tables.ts";
import { checkInput } from "../check-input.ts";
import { findRowByName } from "../find-row.ts";
import { findUser } from "../find-user.ts";
import { loadEmails, toRun } from "./present-run.ts";

type RunDeps = { store: Store };

const runIdSchema = z.uuid({ error: "must be the id of a run." }).toLowerCase();

const filterSchema = z.strictObject({
  /** Id, beginning of an id, or label of a row; the full id also of a row that is deleted. */
  row: z.string().optional(),
  /** Email, or `local-admin`. */
  user: z.string().optional(),
  status: runStatusSchema.optional(),
  source: runSourceSchema.optional(),
  operation: z.string().optional(),
  /** Only newer ones. */
  after: runIdSchema.optional(),
  /** Only older ones. */
  before: runIdSchema.optional(),
  limit: z
    .int({ error: "must be a whole number." })
    .min(1, { error: "must be at least 1." })
    .max(1000, { error: "must be at most 1000." })
    .default(50),
});

export type RunFilterInput = z.input<typeof filterSchema>;
export type RunVerbs = ReturnType<typeof createRunVerbs>;

/** Verbs on the audit. */
export function createRunVerbs({ store }: RunDeps) {
  return {
    /** Newest first. */
    async list(input: RunFilterInput = {}): Promise<Run[]> {
      const filter = checkInput(filterSchema, input);
      const runs = await listRuns(store.db, await toStoreFilter(store.db, filter));
      const emails = await loadEmails(store.db);
      return runs.map((run) => toRun(run, emails));
    },

    async show(id: string): Promise<RunDetail> {
      const run = await findRun(store.db, id.trim().toLowerCase());
      if (run === null) {
        throw new HubError(
          "not_found",
          `There is no run "${id}". List the runs for their ids; old ones are purged.`,
        );
      }
      return {
        ...toRun(run, await loadEmails(store.db)),
        request: run.request === null ? null : parseJson(run.request),
        response: run.response === null ? null : parseJson(run.response),
        request_cut: run.requestCut,
      };
    },
  };
}

async function toStoreFilter(db: Db, filter: z.output<typeof filterSchema>): Promise<RunFilter> {
  const { row, user, status, source, operation, after, before, limit } = filter;
  return {
    limit,
    ...(row !== undefined && { connectorId: await findRowId(db, row) }),
    ...(user !== undefined && { userId: await findUserId(db, user) }),
    ...(status !== undefined && { status }),
    ...(source !== undefined && { source }),
    ...(operation !== undefined && { operationKey: operation }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
}

/** A full id is taken as it is: runs outlive their rows. */
async function findRowId(db: Db, typed: string): Promise<string> {
  return z.uuid().safeParse(typed).success
    ? typed.toLowerCase()
    : (await findRowByName(db, typed)).id;
}

async function findUserId(db: Db, typed: string): Promise<string> {
  return typed === localAdmin.email ? localAdmin.userId : (await findUser(db, typed)).id;
}
