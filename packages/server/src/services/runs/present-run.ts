import { parseJson } from "@hub/connector";
import type { InnerCalls, Run } from "@hub/contract/run.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import { scriptOperations } from "../../connectors/builtin/script-operations.ts";
import { addressFields, findRowLogo } from "../../connectors/logos/find-logo.ts";
import { findUserNames } from "../../identity/find-user-names.ts";
import type { Db } from "../../store/database/database.ts";
import { readRowAddresses } from "../../store/rows/row-addresses.ts";
import { countInnerRuns } from "../../store/runs/inner-runs.ts";
import {
  readBindings,
  readGrantNames,
  readRequestStarts,
} from "../../store/runs/request-starts.ts";
import { messageTool } from "../../store/runs/run-conditions.ts";
import type { ListedRun } from "../../store/runs/runs-table.ts";
import { type CallRoute, findCallArgument } from "./call-argument.ts";
import { toClientName } from "./client-name.ts";

/** What lists show of runs beside their records. */
export type RunNames = {
  /** By user id. */
  emails: ReadonlyMap<string, string>;
  /** Names of applications, by the token of the call. */
  applications: ReadonlyMap<string, string>;
  /** By id of the run. */
  starts: ReadonlyMap<string, string>;
  /** By `row/operation`. */
  routes: ReadonlyMap<string, CallRoute>;
  /** Names of logos, by row. */
  logos: ReadonlyMap<string, string>;
  /** By id of the message or script. */
  calls: ReadonlyMap<string, InnerCalls>;
};

/** What the caller may see of runs. */
export type RunSight = {
  seesRequest(run: ListedRun): boolean;
  /** Counts inner calls of rows with one of these tags only. Absent if the caller sees all rows. */
  taggedAmong?: readonly string[] | undefined;
};

/** Operations whose call makes other calls: a message of several calls, and the two of scripts. */
const callers: ReadonlySet<string> = new Set([messageTool, ...scriptOperations]);

/** The names of the users and applications that made these runs, what distinguishes the calls, and the calls in them. */
export async function loadRunNames(
  db: Db,
  runs: readonly ListedRun[],
  { seesRequest, taggedAmong }: RunSight,
): Promise<RunNames> {
  const seen = runs.filter(seesRequest);
  const outer = seen.filter((run) => callers.has(run.operationKey));
  const userIds = [...new Set(outer.map(({ userId }) => userId))];
  const ids = seen.map(({ id }) => id);
  const tokens = seen.flatMap(({ tokenId }) => (tokenId === null ? [] : [tokenId]));
  return {
    emails: await loadEmails(db, runs),
    applications: await readGrantNames(db, tokens),
    starts: await readRequestStarts(db, ids),
    routes: await loadRoutes(db, seen),
    logos: await loadLogos(db, runs),
    calls: await countInnerRuns(
      db,
      outer.map(({ id }) => id),
      taggedAmong && { taggedAmong, userIds },
    ),
  };
}

/** E-mails of the users who made these runs, by user id, with the local admin's. */
export async function loadEmails(
  db: Db,
  runs: readonly Pick<ListedRun, "userId">[],
): Promise<ReadonlyMap<string, string>> {
  return await findUserNames(
    db,
    runs.map(({ userId }) => userId),
  );
}

/** The account of a recorded call, for others than its user. */
export function hideAccountLabel(account: string | null): string | null {
  return account?.startsWith("own: ") ? "own" : account;
}

/** The parts of a binding of an OpenAPI operation that name what it requests. */
const routeSchema = z.object({
  method: z.string(),
  path: z.string(),
  parameters: z.array(z.object({ input: z.string(), name: z.string(), in: z.string() })),
});

/** Refusals of operations that do not exist for the caller, or that wait for a review. */
const unseen: ReadonlySet<string | null> = new Set(["not_found", "operation_disabled"]);

/** Whether the caller could see the row and the operation. Otherwise their names are what the caller sent. */
function isFound({ connectorId, rowLabel, errorCode }: ListedRun): boolean {
  return connectorId !== null && rowLabel !== null && !unseen.has(errorCode);
}

/** How operations from OpenAPI documents are requested, by `row/operation`. */
async function loadRoutes(
  db: Db,
  runs: readonly ListedRun[],
): Promise<ReadonlyMap<string, CallRoute>> {
  const called = runs.filter(isFound);
  const bindings = await readBindings(
    db,
    called.map(({ connectorId, operationKey }) => ({
      row: connectorId ?? "",
      operation: operationKey,
    })),
  );
  const routes = new Map<string, CallRoute>();
  for (const [key, binding] of bindings) {
    const { data } = routeSchema.safeParse(parseJson(binding));
    if (data === undefined) continue;
    const inputs = data.parameters.filter((one) => one.in === "path");
    routes.set(key, { method: data.method, path: data.path, inputs });
  }
  return routes;
}

/** The logos of the rows that were called, as they are now. */
async function loadLogos(db: Db, runs: readonly ListedRun[]): Promise<ReadonlyMap<string, string>> {
  const called = runs.filter(isFound).flatMap(({ connectorId: id }) => (id === null ? [] : [id]));
  const addresses = await readRowAddresses(db, [...new Set(called)], addressFields);
  const logos = new Map<string, string>();
  for (const [id, address] of addresses) {
    const logo = findRowLogo(address, null);
    if (logo !== null) logos.set(id, logo);
  }
  return logos;
}

/** A stored run as lists show it. */
export function toRun(run: ListedRun, names: RunNames): Run {
  const start = names.starts.get(run.id);
  const ofOperation = names.routes.get(`${run.connectorId}/${run.operationKey}`) ?? null;
  const route = isFound(run) ? ofOperation : null;
  const calls = names.calls.get(run.id);
  return {
    id: run.id,
    parent_run_id: run.parentRunId,
    connector_id: run.connectorId,
    row_label: run.rowLabel,
    logo: isFound(run) ? (names.logos.get(run.connectorId ?? "") ?? null) : null,
    operation_key: run.operationKey,
    argument: start === undefined ? null : findCallArgument(start, route),
    user_id: run.userId,
    user: names.emails.get(run.userId) ?? null,
    token_id: run.tokenId,
    source: run.source,
    status: run.status,
    error_code: run.errorCode,
    error_msg: run.errorMsg,
    latency_ms: run.latencyMs,
    http_status: run.httpStatus,
    ip_address: run.ipAddress,
    user_agent: run.userAgent,
    client: toClientName(names.applications.get(run.tokenId ?? ""), run.userAgent),
    workflow_run_id: run.workflowRunId,
    started_by: run.startedBy,
    cause: toCause(run),
    ...(calls && { calls }),
    started_at: toTimeText(run.startedAt),
    ended_at: run.endedAt === null ? null : toTimeText(run.endedAt),
  };
}

/** Calls that are older than the record of causes have it in other members. */
function toCause({ causeKind, causeId, parentRunId, workflowRunId }: ListedRun): Run["cause"] {
  if (causeKind !== null) return { kind: causeKind, id: causeId };
  if (workflowRunId !== null) return { kind: "workflow", id: workflowRunId };
  return parentRunId === null ? { kind: "client", id: null } : { kind: "retry", id: parentRunId };
}
