import { type Db, exclusiveTransaction, type Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { Tables } from "../database/tables.ts";

/** One request to a webhook, or several refused ones with the same key. Times are epoch ms. */
export type WebhookRequest = {
  workflowId: string;
  /** A UUID; of refused requests, what they have in common. */
  key: string;
  /** Of the last one; so are all members that follow `requests`. */
  at: number;
  firstAt: number;
  requests: number;
  triggerId: string | null;
  isTest: boolean;
  /** Null for an accepted request. */
  reason: string | null;
  method: string;
  path: string;
  deliveryId: string | null;
  /** Whether an earlier request with the same delivery id has started the run. */
  isRepeated: boolean;
  signature: string;
  status: number;
  code: string | null;
  message: string | null;
  runId: string | null;
  durationMs: number;
  bodyBytes: number | null;
};

/**
 * Adds requests, and removes all but the newest of their workflows: `keptMax` accepted and `keptMax`
 * refused ones. A refused request is counted in the row with its key.
 */
export async function putWebhookRequests(
  db: Db,
  requests: readonly WebhookRequest[],
  keptMax: number,
): Promise<void> {
  if (requests.length === 0) return;
  // The servers write the same rows, so they write one after another.
  await exclusiveTransaction(db, ["webhook-requests"], async (trx) => {
    await insertAccepted(
      trx,
      requests.filter(({ reason }) => reason === null),
    );
    for (const request of requests) if (request.reason !== null) await countRefused(trx, request);
    for (const workflowId of new Set(requests.map((request) => request.workflowId))) {
      for (const outcome of ["accepted", "refused"] as const) {
        await trim(trx, { workflowId, outcome, keptMax });
      }
    }
  });
}

/** In one statement, because a busy webhook has a hundred of them in each batch. */
async function insertAccepted(
  trx: Transaction,
  requests: readonly WebhookRequest[],
): Promise<void> {
  if (requests.length === 0) return;
  await toKysely(trx)
    .insertInto("webhook_requests")
    .values(requests.map(toColumns))
    // A batch is written again if it is not known whether it was committed.
    .onConflict((conflict) => conflict.columns(["workflow_id", "key"]).doNothing())
    .execute();
}

async function countRefused(trx: Transaction, request: WebhookRequest): Promise<void> {
  await toKysely(trx)
    .insertInto("webhook_requests")
    .values(toColumns(request))
    .onConflict((conflict) =>
      conflict.columns(["workflow_id", "key"]).doUpdateSet((row) => ({
        ...toLastColumns(request),
        requests: row("webhook_requests.requests", "+", request.requests),
      })),
    )
    .execute();
}

function toColumns(request: WebhookRequest) {
  const { workflowId, key, firstAt, requests } = request;
  const last = toLastColumns(request);
  return { workflow_id: workflowId, key, first_at: firstAt, requests, ...last };
}

function toLastColumns(request: WebhookRequest) {
  return {
    at: request.at,
    trigger_id: request.triggerId,
    is_test: toFlag(request.isTest),
    reason: request.reason,
    method: request.method,
    path: request.path,
    delivery_id: request.deliveryId,
    is_repeated: toFlag(request.isRepeated),
    signature: request.signature,
    status: request.status,
    code: request.code,
    message: request.message,
    run_id: request.runId,
    duration_ms: request.durationMs,
    body_bytes: request.bodyBytes,
  };
}

type Outcome = "accepted" | "refused";

async function trim(
  trx: Transaction,
  { workflowId, outcome, keptMax }: { workflowId: string; outcome: Outcome; keptMax: number },
): Promise<void> {
  const excess = await toKysely(trx)
    .selectFrom("webhook_requests")
    .select("key")
    .where("workflow_id", "=", workflowId)
    .where("reason", outcome === "accepted" ? "is" : "is not", null)
    .orderBy("at", "desc")
    .orderBy("key", "desc")
    // More than one flush adds.
    .limit(10_000)
    .offset(keptMax)
    .execute();
  if (excess.length === 0) return;
  const keys = excess.map(({ key }) => key);
  await toKysely(trx)
    .deleteFrom("webhook_requests")
    .where("workflow_id", "=", workflowId)
    .where("key", "in", keys)
    .execute();
}

export type WebhookRequestPage = {
  triggerId?: string | undefined;
  outcome?: Outcome | undefined;
  /** Only requests after this one, in the order of the list. */
  after?: { at: number; key: string } | undefined;
  limit: number;
};

/** One page of the requests to the webhooks of a workflow, newest first. */
export async function listWebhookRequests(
  db: Db,
  workflowId: string,
  { triggerId, outcome, after, limit }: WebhookRequestPage,
): Promise<WebhookRequest[]> {
  let query = toKysely(db)
    .selectFrom("webhook_requests")
    .select(tableColumns.webhook_requests)
    .where("workflow_id", "=", workflowId);
  if (triggerId !== undefined) query = query.where("trigger_id", "=", triggerId);
  if (outcome !== undefined) {
    query = query.where("reason", outcome === "accepted" ? "is" : "is not", null);
  }
  if (after !== undefined) {
    const { at, key } = after;
    query = query.where((request) =>
      request.or([
        request("at", "<", at),
        request.and([request("at", "=", at), request("key", "<", key)]),
      ]),
    );
  }
  const found = await query.orderBy("at", "desc").orderBy("key", "desc").limit(limit).execute();
  return found.map(toRequest);
}

/** Deletes requests before a time; returns how many. */
export async function purgeWebhookRequests(
  db: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const old = await toKysely(db)
    .selectFrom("webhook_requests")
    .select(["workflow_id as workflowId", "key"])
    .where("at", "<", before)
    .orderBy("at")
    .limit(limit)
    .execute();
  for (const [workflowId, found] of Map.groupBy(old, (request) => request.workflowId)) {
    const keys = found.map(({ key }) => key);
    await toKysely(db)
      .deleteFrom("webhook_requests")
      .where("workflow_id", "=", workflowId)
      .where("key", "in", keys)
      // Meanwhile another one may have been counted in it.
      .where("at", "<", before)
      .execute();
  }
  return old.length;
}

/** Deletes all requests of a workflow. */
export async function removeWebhookRequests(db: Db, workflowId: string): Promise<void> {
  await toKysely(db).deleteFrom("webhook_requests").where("workflow_id", "=", workflowId).execute();
}

function toRequest(row: Tables["webhook_requests"]): WebhookRequest {
  return {
    workflowId: row.workflow_id,
    key: row.key,
    at: row.at,
    firstAt: row.first_at,
    requests: row.requests,
    triggerId: row.trigger_id,
    isTest: row.is_test === 1,
    reason: row.reason,
    method: row.method,
    path: row.path,
    deliveryId: row.delivery_id,
    isRepeated: row.is_repeated === 1,
    signature: row.signature,
    status: row.status,
    code: row.code,
    message: row.message,
    runId: row.run_id,
    durationMs: row.duration_ms,
    bodyBytes: row.body_bytes,
  };
}
