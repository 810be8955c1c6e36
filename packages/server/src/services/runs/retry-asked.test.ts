/** Protects: the test panel and a retry are asked about as any call, and run once by an approval. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { localAdmin } from "../../identity/local-admin.ts";
import { transaction } from "../../store/database/database.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { putRule } from "../../store/rules/call-rules-table.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let rowId: string;
const { signal } = new AbortController();
const caller = { ...localAdmin, principal: { kind: "session", id: "" } } as const;
const ctx = { caller, signal };

beforeAll(async () => {
  hub = await openTestServices();
  const values = { base_url: "https://tracker.example.com", token: "the-secret-9fK2xQ7vLm4R" };
  rowId = (await hub.admin.rows.add({ connector: "tracker", label: "Tracker", values })).id;
});
afterAll(() => hub.close());

const db = () => hub.deps.store.db;
const count = async () =>
  (await hub.admin.runs.list({ limit: 100 })).filter(({ status }) => status === "success").length;

async function ask(run: Promise<unknown>): Promise<string> {
  const failure = await run.catch((thrown: unknown) => thrown);
  if (!(failure instanceof HubError)) throw new Error("It was not asked about");
  expect(failure.code).toBe("approval_required");
  return String(failure.detail.pending_id);
}

async function approve(id: string): Promise<void> {
  const at = Date.now();
  const until = { approvedUntil: at + 900_000, keepUntil: at + 900_000 };
  const who = { by: "ada", byEmail: "ada@example.com", via: "page", comment: null };
  await putPendingDecision(db(), { id, state: "approved", at, ...who, ...until });
}

const read = () => hub.admin.rows.test(ctx, { row: rowId, operation: "read", params: {} });

test("The test panel and a retry wait for a person, and run once", async () => {
  await read();
  const [first] = await hub.admin.runs.list({ limit: 1 });
  const retry = () => hub.admin.runs.retry(ctx, first?.id ?? "");
  await transaction(db(), (trx) => putRule(trx, newRule({ id: "rule-1", rowId })));
  expect(await count()).toBe(1);
  // A retry of the same params by the same user is the same call.
  const id = await ask(read());
  expect(await ask(retry())).toBe(id);
  expect(await count()).toBe(1);
  await approve(id);
  expect((await retry()).value).toMatchObject({ page: 20 });
  const { runId } = (await findPendingCall(db(), id)) ?? {};
  expect(await hub.admin.runs.show(runId ?? "")).toMatchObject({
    source: "retry",
    parent_run_id: first?.id,
  });
  await read();
  await retry();
  const ran = (await hub.admin.runs.list({ limit: 100 })).filter(({ id: run }) => run === runId);
  expect(ran).toHaveLength(1);
});
