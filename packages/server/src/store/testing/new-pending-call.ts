import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingCall } from "../pending/pending-call-record.ts";
import { insertPendingCall, toColumns } from "../pending/pending-calls-table.ts";
import { type CallPermit, insertPermit } from "../pending/permits-table.ts";

export function newPendingCall(given: Partial<PendingCall> = {}): PendingCall {
  const createdAt = given.createdAt ?? 1_000;
  return {
    id: crypto.randomUUID(),
    userId: "u1",
    principal: "token:t1",
    principalName: "laptop",
    rowId: "r1",
    operationKey: "greet",
    reason: "approval",
    state: "open",
    sealed: new Uint8Array(),
    digestKey: 1,
    digest: crypto.randomUUID(),
    basis: "b",
    shown: {
      rowLabel: "Rows",
      connectorKey: "fixture",
      connectorName: "Fixture",
      operationName: "greet",
      description: "Greets.",
      isDestructive: false,
      params: { name: "Ada" },
      account: null,
      accountId: null,
      rule: { name: "Ask", sentence: "" },
      note: null,
    },
    decider: { kind: "caller" },
    excluded: [],
    ruleId: null,
    ruleRevision: null,
    confirm: "page",
    runsByItself: false,
    origin: { source: "mcp", ip: null, userAgent: null, client: null },
    askedRunId: null,
    createdAt,
    expiresAt: createdAt + 3_600_000,
    approvedUntil: null,
    decidedAt: null,
    decidedBy: null,
    decidedByEmail: null,
    decidedVia: null,
    comment: null,
    runId: null,
    instanceId: null,
    result: null,
    resultAt: null,
    keepUntil: createdAt + 7_200_000,
    isTask: false,
    endedReason: null,
    deputyId: null,
    deputyBy: null,
    remindedAt: null,
    chatState: "",
    ...given,
  };
}

/** Stores a question without a call that has asked it. */
export async function insertTestPendingCall(
  db: Db,
  given: Partial<PendingCall> = {},
): Promise<PendingCall> {
  const call = newPendingCall(given);
  const limits = { ofUser: 1_000, ofOperation: 1_000 };
  await transaction(db, (trx) => insertPendingCall(trx, call, limits));
  return call;
}

/** Stores a permission for an hour that no decision has given. */
export async function insertTestPermit(
  db: Db,
  given: Partial<CallPermit> = {},
): Promise<CallPermit> {
  const createdAt = given.createdAt ?? 1_000;
  const permit: CallPermit = {
    id: crypto.randomUUID(),
    userId: "u1",
    principal: "token:t1",
    principalName: "laptop",
    rowId: "r1",
    operationKey: "greet",
    account: "",
    ruleId: "rule",
    ruleRevision: 1,
    basis: "b",
    fixed: {},
    createdAt,
    expiresAt: createdAt + 3_600_000,
    grantedBy: "u2",
    grantedByEmail: "lead@example.com",
    endedAt: null,
    callId: "c1",
    ...given,
  };
  await insertPermit(db, permit);
  return permit;
}

/** Inserts many in one statement. */
export async function insertTestPendingCalls(db: Db, calls: readonly PendingCall[]): Promise<void> {
  await toKysely(db).insertInto("pending_calls").values(calls.map(toColumns)).execute();
}
