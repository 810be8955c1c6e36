/** Protects: what runs every few seconds, or with each call that is asked about, does not read all calls of 30 days. */
import { expect, test } from "bun:test";
import { type Db, transaction } from "../database/database.ts";
import { findAskedRule } from "../rules/asked-rules.ts";
import { newPendingCall } from "../testing/new-pending-call.ts";
import { readPlan } from "../testing/read-plan.ts";
import { listAskedCalls } from "./asked-calls.ts";
import { endForbiddenCalls, expirePendingCalls, markUnknownCalls } from "./end-pending-calls.ts";
import { listRunnableCalls } from "./list-runnable-calls.ts";
import { insertPendingCall, listAnsweringCalls, listDenials } from "./pending-calls-table.ts";

const series = { userId: "u", principal: "p", rowId: "r", operationKey: "o" };
const queries: Record<string, [query: (db: Db) => Promise<unknown>, indexes: RegExp]> = {
  "approved calls that run by themselves": [
    (db) => listRunnableCalls(db, { at: 1, limit: 10 }),
    /_(open|due|rows)\b/,
  ],
  "calls that are late": [(db) => expirePendingCalls(db, 1), /_(open|due|rows|waiting)\b/],
  "calls that may not run": [
    (db) => endForbiddenCalls(db, { localUserId: "l", at: 1 }),
    /_(open|due|rows)\b/,
  ],
  "calls whose process died": [(db) => markUnknownCalls(db, 1), /_running\b/],
  "calls that are equal": [
    (db) => listAnsweringCalls(db, { ...series, digests: ["a", "b"] }),
    /_equal\b/,
  ],
  "what may be asked": [
    (db) =>
      transaction(db, (trx) =>
        insertPendingCall(trx, newPendingCall(), { ofUser: 20, ofOperation: 5 }),
      ),
    /_(open|due|rows)\b/,
  ],
  "the calls of a run": [(db) => listAskedCalls(db, { ownerId: "u", runId: "r" }), /_equal\b/],
  "the question of a recorded call": [(db) => findAskedRule(db, "r"), /_runs\b/],
  denials: [(db) => listDenials(db, series, { since: 1, limit: 2 }), /_denied\b/],
};

for (const [name, [query, indexes]] of Object.entries(queries)) {
  test(`A look for ${name} reads along an index that has only such calls`, async () => {
    const steps = (await readPlan(query)).filter((step) => /^\w+ pending_calls/.test(step));
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) expect(step).toMatch(indexes);
  });
}
