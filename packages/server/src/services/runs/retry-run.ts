import { parseJson } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { toToolId } from "../../operations/catalogue/tool-id.ts";
import type { CallContext, ExecuteRequest, SealedResult } from "../../operations/operations.ts";
import { blankTokens } from "../../secrets/value-tokens/blank-tokens.ts";
import { findRun, type RunRecord } from "../../store/runs/runs-table.ts";
import { endWithRight } from "../rows/test-row.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findShownRun } from "./own-run-history.ts";

/** The longest chain of replays that is followed back to its original run. */
const parentsMax = 100;

type RetryDeps = Pick<ServiceDeps, "store" | "registry" | "operations">;

/** Who retries, and how to cancel and follow the retry. */
export type RetryContext = Pick<CallContext, "caller" | "signal" | "onProgress"> & {
  ip?: string | null;
  userAgent?: string | null;
};

/**
 * Replays the stored params of the caller's own run as a new run that names its parent. The replay
 * passes every check again, with the caller's current rights.
 * Throws `forbidden` for another user's run: its tokens open only for that user.
 */
export async function retryRun(
  deps: RetryDeps,
  { caller, signal, onProgress, ip = null, userAgent = null }: RetryContext,
  runId: string,
): Promise<SealedResult> {
  // First: the owner of a run is not revealed to a caller who may not see the run.
  await findShownRun(deps, caller, runId);
  const run = await findOperationRun(deps, runId);
  if (run.userId !== caller.userId) {
    throw new HubError(
      "forbidden",
      "This call belongs to another user, and its tokens open for that user only. Get its params as a form, fill in the blanks, and call the operation yourself.",
    );
  }
  if (run.requestCut) {
    throw new HubError(
      "conflict",
      "The request was not stored in full, so it cannot be replayed: it was too large, it named something that does not exist, or its row has a secret that can be guessed. Call the operation again.",
    );
  }
  // The tests of other users are replayed as normal calls: they reach the same operations.
  const isTest = caller.role === "admin" && (await isOfTest(deps, run));
  const replay = isTest ? deps.operations.rows.test : deps.operations.calls.call;
  const origin = { source: "retry", ip, userAgent } as const;
  const cause = { kind: "retry", id: run.id } as const;
  const call = { caller, signal, origin, cause, ...(onProgress && { onProgress }) };
  const request = { ...toRequest(run), account: findLabel(run) };
  return await replay(endWithRight(deps.store, call), request);
}

/** The label of the account that a call used. Its replay uses no other one, also if there is now one alone. */
function findLabel({ account }: Pick<RunRecord, "account">): string | undefined {
  return /^own: (.*)$/s.exec(account ?? "")?.[1];
}

/** A run's call as a form: its params, with every token left blank. For admins. */
export async function readRunForm(
  deps: Pick<RetryDeps, "store">,
  runId: string,
): Promise<ExecuteRequest> {
  const request = toRequest(await findOperationRun(deps, runId));
  // Blanking replaces strings only, so an object stays an object.
  return { ...request, params: blankTokens(request.params) as ExecuteRequest["params"] };
}

/** Whether the run is a test or a replay of a test. */
async function isOfTest({ store }: Pick<RetryDeps, "store">, run: RunRecord): Promise<boolean> {
  let found: RunRecord | null = run;
  for (let step = 0; step < parentsMax && found?.source === "retry"; step += 1) {
    found = found.parentRunId === null ? null : await findRun(store.db, found.parentRunId);
  }
  return found?.source === "test";
}

type OperationRun = RunRecord & { connectorId: string };

async function findOperationRun(
  { store }: Pick<RetryDeps, "store">,
  runId: string,
): Promise<OperationRun> {
  const run = await findRun(store.db, runId.trim().toLowerCase());
  if (run === null) {
    throw new HubError(
      "not_found",
      `There is no call "${runId}". List the calls to see their ids. Old calls are purged.`,
    );
  }
  const { connectorId } = run;
  if (connectorId === null) {
    throw new HubError(
      "bad_request",
      `This is a call of ${run.operationKey}, which is not an operation of a row, so there is nothing to replay.`,
    );
  }
  return { ...run, connectorId };
}

function toRequest(run: OperationRun): ExecuteRequest {
  return {
    toolId: toToolId(run.connectorId, run.operationKey),
    // The params of an operation are recorded as an object.
    params: parseJson(run.request ?? "{}") as ExecuteRequest["params"],
  };
}
