import { parseJson } from "@hub/connector";
import { type Run, runSourceSchema, runStatusSchema } from "@hub/contract/run.ts";
import type { HistoryRun, RunPage } from "@hub/contract/run-history.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { isVisible, toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import { checkInput, momentSchema } from "../../lib/input/check-input.ts";
import { isForAdmins } from "../../operations/admission/for-admins.ts";
import type { Db } from "../../store/database/database.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { listRunPage } from "../../store/runs/run-pages.ts";
import type { RunScanFilter } from "../../store/runs/run-scans.ts";
import {
  findRun,
  type ListedRun,
  listRetries,
  type RunRecord,
} from "../../store/runs/runs-table.ts";
import { findWorkflowOfRun } from "../../workflows/runs/find-workflow-of-run.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { hideAccountLabel, loadRunNames, type RunNames, toRun } from "./present-run.ts";

const runIdSchema = z.uuid({ error: "must be the id of a recorded call." }).toLowerCase();

/** Bounds the time that a search takes. */
const errorTextMax = 100;

export const historyFilterSchema = z.strictObject({
  /** Full id of an existing or deleted row. */
  row: z.uuid({ error: "must be the id of a row." }).toLowerCase().optional(),
  /** Id of a user. */
  user: z.uuid({ error: "must be the id of a user." }).toLowerCase().optional(),
  status: runStatusSchema.optional(),
  source: runSourceSchema.optional(),
  operation: z.string().optional(),
  /** Key of a connector: runs of its present rows. */
  connector: z.string().optional(),
  /** Code of an error. */
  code: z
    .string()
    .max(errorTextMax, { error: `must have at most ${errorTextMax} characters.` })
    .optional(),
  /** A text in the error message or code. */
  error: z
    .string()
    .min(1, { error: "must not be empty." })
    .max(errorTextMax, { error: `must have at most ${errorTextMax} characters.` })
    .optional(),
  /** Id of the call of a message or a script: only the calls that it made. */
  cause_id: runIdSchema.optional(),
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  /** Leaves out the calls that messages and scripts made. */
  grouped: z.boolean().optional(),
  before: runIdSchema.optional(),
  limit: z
    .int({ error: "must be a whole number." })
    .min(1, { error: "must be at least 1." })
    .max(500, { error: "must be at most 500." })
    .default(50),
});
export type HistoryFilter = z.input<typeof historyFilterSchema>;

type HistoryDeps = Pick<ServiceDeps, "store" | "registry">;

/**
 * One page of recorded calls, newest first. The caller must be an admin, or see the row that the
 * filter names. Of other users' calls, non-admins see neither payload, origin nor error message, and nothing at all of
 * those of operations for admins.
 */
export async function listRunHistory(
  deps: HistoryDeps,
  caller: Caller,
  filter: HistoryFilter,
): Promise<RunPage> {
  const { db } = deps.store;
  const row = caller.role === "admin" || !filter.row ? null : await findRow(db, filter.row);
  const operationKeys = row === null ? [] : listForAdmins(deps.registry, row.connectorKey);
  if (operationKeys.length === 0) return await readPage(db, caller, filter, {});
  const withoutOthers = { operationKeys, userId: caller.userId };
  return await readPage(db, caller, filter, { withoutOthers });
}

/** Keys of the connector's operations that do not exist for other users than admins. */
function listForAdmins(registry: HistoryDeps["registry"], connectorKey: string): readonly string[] {
  const connector = registry.find(connectorKey);
  const operations = [...(connector?.operations.values() ?? [])];
  return operations.filter((one) => isForAdmins(connector, one)).map(({ key }) => key);
}

/**
 * One page of the caller's own calls, newest first, with those of meta-tools. Calls of rows that
 * the caller no longer sees are left out.
 */
export async function listOwnRuns(
  { store: { db } }: Pick<HistoryDeps, "store">,
  caller: Caller,
  filter: Omit<HistoryFilter, "user">,
): Promise<RunPage> {
  const rowsTaggedAmong = toVisibleTags(caller);
  return await readPage(db, caller, { ...filter, user: caller.userId }, { rowsTaggedAmong });
}

/** Throws `not_found` for a run of a row that the caller does not see, even for their own run. */
export async function viewRun(
  { store, registry }: HistoryDeps,
  caller: Caller,
  id: string,
): Promise<HistoryRun> {
  const { db } = store;
  const run = await findShownRun({ store, registry }, caller, id);
  const isPayloadShown = isOwnOrAdmin(caller, run);
  const parse = (text: string | null) =>
    text === null || !isPayloadShown ? null : parseJson(text);
  const shown = toShownRun(caller, run, await loadNames(db, caller, [run]));
  const workflow =
    shown.workflow_run_id === null
      ? null
      : await findWorkflowOfRun({ store }, caller, shown.workflow_run_id);
  return {
    ...shown,
    request: parse(run.request),
    response: parse(run.response),
    request_cut: run.requestCut,
    account: isPayloadShown ? toShownAccount(caller, run) : null,
    payload_shown: isPayloadShown,
    retries: await listRetries(db, run.id),
    workflow_id: workflow?.id ?? null,
  };
}

async function readPage(
  db: Db,
  caller: Caller,
  filter: HistoryFilter,
  bounds: Bounds,
): Promise<RunPage> {
  const { before, limit, grouped = false, ...rest } = checkInput(historyFilterSchema, filter);
  const scan = toScanFilter(caller, rest, bounds);
  if (scan === null) return { runs: [], next: null };
  const page = await listRunPage(db, {
    ...scan,
    ...(grouped && { withoutInner: true }),
    ...(before !== undefined && { before }),
    limit,
  });
  const names = await loadNames(db, caller, page.runs);
  return { runs: page.runs.map((run) => toShownRun(caller, run, names)), next: page.next };
}

type Bounds = {
  rowsTaggedAmong?: readonly string[] | undefined;
  withoutOthers?: RunScanFilter["withoutOthers"];
  withoutMessages?: true;
};
type ScanInput = Omit<z.output<typeof historyFilterSchema>, "before" | "limit" | "grouped">;

/** Null if no run can match. */
export function toScanFilter(
  caller: Caller,
  { row, user, operation, connector, error, code, cause_id: causeId, from, to, ...rest }: ScanInput,
  bounds: Bounds,
): RunScanFilter | null {
  // Others see neither the errors nor the causes of another user's calls, so they cannot search them either.
  const isHidden = error !== undefined || causeId !== undefined;
  const isOnlyOwn = isHidden && caller.role !== "admin";
  if (isOnlyOwn && user !== undefined && user !== caller.userId) return null;
  const wanted = Object.entries({
    ...rest,
    ...bounds,
    connectorId: row,
    userId: isOnlyOwn ? caller.userId : user,
    operationKey: operation,
    connectorKey: connector,
    errorText: error,
    errorCode: code,
    causeId,
    startedFrom: from,
    startedBefore: to,
  }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(wanted);
}

/** Throws `not_found` for a run that the caller may not see. */
export async function findShownRun(
  deps: HistoryDeps,
  caller: Caller,
  id: string,
): Promise<RunRecord> {
  const run = await findRun(deps.store.db, id.toLowerCase());
  if (run !== null && (caller.role === "admin" || (await isShown(deps, caller, run)))) return run;
  throw new HubError("not_found", "There is no such call. Old calls are purged.");
}

async function isShown(
  { store, registry }: HistoryDeps,
  caller: Caller,
  run: RunRecord,
): Promise<boolean> {
  // A call that reached no row is shown only to its caller.
  const reachedNone = run.connectorId === null || run.rowLabel === null;
  if (reachedNone && run.userId === caller.userId) return true;
  if (run.connectorId === null) return false;
  const row = await findRow(store.db, run.connectorId);
  if (row === null || !isVisible(caller, row)) return false;
  if (run.userId === caller.userId) return true;
  const hidden = listForAdmins(registry, row.connectorKey);
  return hidden.every((key) => key !== run.operationKey);
}

/** The label of an account is for its user alone. */
function toShownAccount(caller: Caller, { userId, account }: RunRecord): string | null {
  return userId === caller.userId ? account : hideAccountLabel(account);
}

function isOwnOrAdmin(caller: Caller, run: Pick<RunRecord, "userId">): boolean {
  return caller.role === "admin" || run.userId === caller.userId;
}

function loadNames(db: Db, caller: Caller, runs: readonly ListedRun[]): Promise<RunNames> {
  return loadRunNames(db, runs, {
    seesRequest: (run) => isOwnOrAdmin(caller, run),
    taggedAmong: toVisibleTags(caller),
  });
}

/** Only admins see the token, address, client, request, cause and error of another user's call. */
function toShownRun(caller: Caller, run: ListedRun, names: RunNames): Run {
  const shown = toRun(run, names);
  if (isOwnOrAdmin(caller, run)) return shown;
  const origin = { token_id: null, ip_address: null, user_agent: null, client: null };
  const cause = { ...shown.cause, id: null };
  return { ...shown, ...origin, cause, argument: null, error_msg: null };
}
