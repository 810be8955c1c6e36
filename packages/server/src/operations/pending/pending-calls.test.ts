/** Protects: a call that a rule asks about runs once, after a person has approved exactly this call. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { transaction } from "../../store/database/database.ts";
import { markUnknownCalls } from "../../store/pending/end-pending-calls.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { putRowValues } from "../../store/rows/rows-table.ts";
import { putRule } from "../../store/rules/call-rules-table.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import type { ExecuteRequest } from "../operations.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";
import { runApprovedCalls } from "./run-approved-calls.ts";

const sent: unknown[] = [];
let hold: Promise<void> | null = null;

const connector = defineConnector({
  key: "mailer",
  name: "Mailer",
  icon: "mail",
  tier: "builtin",
  description: "Sends mail.",
  config: { Place: wick("default=home") },
  operations: {
    send: {
      description: "Sends a mail.",
      destructive: true,
      input: { Text: wick("required"), Password: wick("secret") },
      async run({ params }) {
        sent.push(params.Text);
        if (hold !== null) await hold;
        return { sent: params.Text };
      },
    },
    look: { description: "Reads mail.", run: () => ({ mails: 0 }) },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;

beforeAll(async () => {
  hub = await openTestOperations(connector, { baseUrl: "https://hub.example" });
});

afterAll(async () => {
  await hub.close();
});

beforeEach(async () => {
  sent.length = 0;
  hold = null;
  rowId = await hub.addRow({ tags: ["team"] });
  const rule = newRule({ id: crypto.randomUUID(), rowId });
  await transaction(hub.store.db, (trx) => putRule(trx, rule));
});

const caller = { principal: { kind: "session", id: "" } } as const;
const ctx = () => toTestCall(["team"], { caller });

function call(params: Record<string, unknown>, more: Partial<ExecuteRequest> = {}) {
  return hub.operations.calls.call(ctx(), { toolId: `conn:${rowId}/send`, params, ...more });
}

async function refusal(calling: Promise<unknown>): Promise<HubError> {
  const thrown = await calling.then(
    (value) => new Error(`It ran: ${JSON.stringify(value)}`),
    (failure: unknown) => failure,
  );
  if (thrown instanceof HubError) return thrown;
  throw thrown;
}

async function ask(params: Record<string, unknown>): Promise<string> {
  const { code, detail } = await refusal(call(params));
  expect(code).toBe("approval_required");
  return String(detail.pending_id);
}

function decide(id: string, state: "approved" | "denied", comment: string | null = null) {
  const at = Date.now();
  const until = { approvedUntil: at + 900_000, keepUntil: at + 900_000 };
  const who = { by: "ada", byEmail: "ada@example.com", via: "page", comment };
  return putPendingDecision(hub.store.db, { id, state, at, ...who, ...until });
}

test("What a client says of itself has no unseen characters on the page of its call", async () => {
  const asked = ctx();
  const client = {
    mode: "stateless" as const,
    name: "Clau\u202ede",
    version: "1\u200b",
    elicitation: { form: false, url: false },
    sampling: false,
    roots: false,
    tasks: false,
  };
  const from = { ...asked, client, origin: { ...asked.origin, userAgent: "Saf\u200bari" } };
  const request = { toolId: `conn:${rowId}/send`, params: { text: "seen" } };
  const { detail } = await refusal(hub.operations.calls.call(from, request));
  expect((await findPendingCall(hub.store.db, String(detail.pending_id)))?.origin).toMatchObject({
    userAgent: "Saf[U+200B]ari",
    client: { name: "Clau[U+202E]de", version: "1[U+200B]" },
  });
});

test("A call is asked about, runs once after the approval, and answers equal calls with its result", async () => {
  const first = await refusal(call({ text: "hi", password: "s3cret-p4ss" }));
  expect(first).toMatchObject({
    code: "approval_required",
    detail: { decider: "you", reason: "approval", run_by_repeat: true },
  });
  const id = String(first.detail.pending_id);
  expect(first.detail.url).toBe(`https://hub.example/approvals/calls/${id}`);
  expect((await hub.listRuns(1))[0]).toMatchObject({
    status: "denied",
    errorCode: "approval_required",
  });
  expect(first.detail).not.toHaveProperty("asked_before");
  // The order of members does not count, and the open question is found again.
  const repeated = await refusal(call({ password: "s3cret-p4ss", text: "hi" }));
  expect(repeated.detail).toMatchObject({ pending_id: id, asked_before: true });
  const stored = await findPendingCall(hub.store.db, id);
  expect(stored?.shown.params).toEqual({ text: "hi", password: "••••••" });
  expect(await decide(id, "approved")).toBe(true);
  expect(await decide(id, "denied")).toBe(false);
  expect(sent).toEqual([]);
  const result = await call({ text: "hi", password: "s3cret-p4ss" });
  expect(result.value).toEqual({ sent: "hi" });
  expect(await findPendingCall(hub.store.db, id)).toMatchObject({
    state: "done",
    runId: result.runId,
  });
  const again = await call({}, { pendingId: id });
  expect([again.value, again.text]).toEqual([{ sent: "hi" }, result.text]);
  expect(sent).toEqual(["hi"]);
});

test("Other params, another principal and another user are asked anew", async () => {
  const id = await ask({ text: "one" });
  await decide(id, "approved");
  expect(await ask({ text: "two" })).not.toBe(id);
  const toolId = `conn:${rowId}/send`;
  const others = [
    toTestCall(["team"], { caller: { principal: { kind: "grant", id: "token-1" } } }),
    toTestCall(["team"], { caller: { ...caller, userId: crypto.randomUUID() } }),
  ];
  for (const other of others) {
    const repeated = hub.operations.calls.call(other, { toolId, params: { text: "one" } });
    const { code, detail } = await refusal(repeated);
    expect([code, detail.pending_id === id]).toEqual(["approval_required", false]);
    const named = hub.operations.calls.call(other, { toolId: "", params: {}, pendingId: id });
    expect((await refusal(named)).code).toBe("not_found");
  }
  expect(sent).toEqual([]);
});

test("A changed row or rule is asked about anew, and the former question is marked", async () => {
  const changes = [
    () =>
      putRowValues(
        hub.store.db,
        rowId,
        [{ key: "place", value: "away", sealed: null }],
        Date.now(),
      ),
    () =>
      transaction(hub.store.db, (trx) =>
        putRule(trx, newRule({ id: crypto.randomUUID(), rowId, operationKey: "send" })),
      ),
  ];
  let id = await ask({ text: "hi" });
  for (const change of changes) {
    await decide(id, "approved");
    await change();
    const next = await ask({ text: "hi" });
    expect(next).not.toBe(id);
    expect((await findPendingCall(hub.store.db, id))?.state).toBe("changed");
    id = next;
  }
  expect(sent).toEqual([]);
});

test("A result and a denial answer an equal call only while row and rule are the same, but always by the id", async () => {
  const [done, denied] = [await ask({ text: "done" }), await ask({ text: "denied" })];
  await decide(done, "approved");
  await decide(denied, "denied");
  await call({ text: "done" });
  const place = { key: "place", value: "elsewhere", sealed: null };
  await putRowValues(hub.store.db, rowId, [place], Date.now());
  expect((await call({}, { pendingId: done })).value).toEqual({ sent: "done" });
  expect((await refusal(call({}, { pendingId: denied }))).code).toBe("refused_by_rule");
  expect(await ask({ text: "done" })).not.toBe(done);
  expect(await ask({ text: "denied" })).not.toBe(denied);
  expect(sent).toEqual(["done"]);
});

test("Two equal calls at once run once", async () => {
  const id = await ask({ text: "once" });
  await decide(id, "approved");
  const ends = await Promise.allSettled([call({ text: "once" }), call({ text: "once" })]);
  expect(sent).toEqual(["once"]);
  const failed = ends.flatMap((end) => (end.status === "rejected" ? [end.reason.code] : []));
  for (const code of failed) expect(code).toBe("still_running");
});

test("A call that runs is not run twice, and is unknown after its process died", async () => {
  const id = await ask({ text: "slow" });
  await decide(id, "approved");
  const held = Promise.withResolvers<void>();
  hold = held.promise;
  const running = call({ text: "slow" });
  while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await refusal(call({ text: "slow" }))).code).toBe("still_running");
  // The test's instance is not registered, like that of a process that died.
  expect(await markUnknownCalls(hub.store.db, Date.now())).toBe(1);
  const asked = await refusal(call({ text: "slow" }));
  expect([asked.code, asked.detail.pending_id === id]).toEqual(["approval_required", false]);
  held.resolve();
  await running;
  expect((await findPendingCall(hub.store.db, id))?.state).toBe("unknown");
  expect(sent).toEqual(["slow"]);
});

test("A denied call says so with its comment, and two denials refuse the operation", async () => {
  await decide(await ask({ text: "a" }), "denied", "Not on Fridays.");
  const denied = await refusal(call({ text: "a" }));
  expect(denied.code).toBe("refused_by_rule");
  expect(denied.message).toContain("Not on Fridays.");
  await decide(await ask({ text: "b" }), "denied");
  const third = await refusal(call({ text: "c" }));
  expect([third.code, typeof third.detail.retry_after_s]).toEqual(["refused_by_rule", "number"]);
});

test("At most five questions of an operation and a principal are open", async () => {
  for (let n = 0; n < 5; n += 1) await ask({ text: `q${n}` });
  expect((await refusal(call({ text: "q5" }))).code).toBe("rate_limited");
  expect((await refusal(call({ text: "q0" }))).code).toBe("approval_required");
});

test("An approved call runs by itself if its rule says so, and answers the repeat", async () => {
  const rule = newRule({ id: crypto.randomUUID(), rowId, operationKey: "send" });
  const { db } = hub.store;
  await transaction(db, (trx) => putRule(trx, { ...rule, runsOnApproval: true }));
  const id = await ask({ text: "later" });
  const deps = {
    db,
    calls: hub.operations.calls,
    now: () => Date.now(),
    findCaller: async () => ctx().caller,
  };
  const { signal } = new AbortController();
  await runApprovedCalls(deps, signal);
  expect(sent).toEqual([]);
  await decide(id, "approved");
  await Promise.all([runApprovedCalls(deps, signal), runApprovedCalls(deps, signal)]);
  expect((await call({ text: "later" })).value).toEqual({ sent: "later" });
  expect(sent).toEqual(["later"]);
});
