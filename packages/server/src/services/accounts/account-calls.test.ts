import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { HubError } from "../../errors.ts";
import { runApprovedCalls } from "../../operations/pending/run-approved-calls.ts";
import { transaction } from "../../store/database/database.ts";
import { listRunnableCalls } from "../../store/pending/list-runnable-calls.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { findTask, listTaskStamps } from "../../store/pending/pending-tasks.ts";
import { putRule } from "../../store/rules/call-rules-table.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { addRow } from "../rows/manage-rows.ts";
import { setRow } from "../rows/set-row.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { addAccount, changeAccount, removeAccount } from "./manage-accounts.ts";

const sent: string[] = [];
const mailbox = defineConnector({
  key: "mailbox",
  name: "Mailbox",
  icon: "mail",
  tier: "builtin",
  description: "Sends letters.",
  config: { BaseURL: wick("url;required"), Token: wick("secret;personal;required") },
  lookup: ({ config }) => [{ id: "1", name: `of ${config.Token?.slice(0, 3)}` }],
  operations: {
    send: {
      description: "Sends a letter.",
      destructive: true,
      input: { Text: wick("required") },
      run({ params }) {
        sent.push(params.Text);
        return { sent: params.Text };
      },
    },
    read: {
      description: "Reads a draft.",
      input: { Draft: wick("picker=drafts") },
      run: () => ({}),
    },
  },
});

const hosts = ["https://mail.example.com"];

let hub: Awaited<ReturnType<typeof openTestServices>>;
let ada: { caller: Caller; actor: Actor };
let root: { caller: Caller; actor: Actor };
let row: string;
beforeAll(async () => {
  hub = await openTestServices();
  hub.deps.registry.register(createLocalConnector(mailbox, () => ({})));
  ada = await addPerson("ada@example.com", "user");
  root = await addPerson("root@example.com", "admin");
});
afterAll(() => hub.close());
beforeEach(async () => {
  sent.length = 0;
  const values = { base_url: "https://mail.example.com/v1" };
  const given = { connector: "mailbox", label: "Mail", tags: ["mail"], values };
  row = (await addRow(hub.deps, root.actor, { ...given, access: "own" })).id;
});

async function addPerson(email: string, role: "user" | "admin") {
  const { id } = await hub.admin.users.add({ email, role, tags: ["mail"] });
  const caller = { userId: id, email, name: email, role, tags: new Set(["mail"]), tokenId: null };
  const actor: Actor = { userId: id, email, tokenId: null, via: "session", ip: null };
  return { caller, actor };
}

const connect = (label = "default", token = "ada-tokeN-4fT8wQ1zR6yB") =>
  addAccount(hub.deps, ada, { row, label, values: { token }, hosts });

type Sent = { text?: string; pendingId?: string; account?: string; isWorkflow?: boolean };

async function call({ text, pendingId, account, isWorkflow = false }: Sent) {
  const source = isWorkflow ? ("workflow" as const) : ("mcp" as const);
  const origin = { source, ip: null, userAgent: null, isByHand: true };
  const signal = new AbortController().signal;
  const request = {
    toolId: pendingId === undefined ? `conn:${row}/send` : "",
    params: text === undefined ? {} : { text },
    pendingId,
    account,
  };
  const id = crypto.randomUUID();
  const startedBy = ada.caller.email;
  const cause = { kind: "workflow" as const, id, startedBy, idempotencyKey: "1" };
  const ctx = { caller: ada.caller, origin, signal, ...(isWorkflow && { cause }) };
  return (await hub.deps.operations.calls.call(ctx, request)).value;
}

async function refuse(of: Sent): Promise<HubError> {
  const thrown = await call(of).catch((failure: unknown) => failure);
  if (thrown instanceof HubError) return thrown;
  throw new Error(`It was not refused: ${Bun.inspect(thrown)}`);
}

const stateOf = async (id: unknown) =>
  (await findPendingCall(hub.deps.store.db, String(id)))?.state;

test("A call without an account names the page and runs once by its pending id when the account is connected", async () => {
  const { code, message, detail } = await refuse({ text: "hello" });
  const url = `https://hub.example/profile/accounts?row=${row}`;
  expect(code).toBe("needs_account");
  expect(detail).toMatchObject({ url, row_id: row, reason: "account", decider: "you" });
  expect(message).toContain(url);
  const pendingId = String(detail.pending_id);
  expect((await refuse({ pendingId })).detail.pending_id).toBe(pendingId);
  expect(sent).toEqual([]);
  await connect();
  const answers = await Promise.allSettled([call({ pendingId }), call({ pendingId })]);
  expect(answers.map(({ status }) => status)).toContain("fulfilled");
  expect(await call({ pendingId })).toEqual({ sent: "hello" });
  expect(sent).toEqual(["hello"]);
});

test("The same call made again after its account is connected runs", async () => {
  await refuse({ text: "again" });
  await connect();
  expect(await call({ text: "again" })).toEqual({ sent: "again" });
});

test("Equal calls without an account are one question, and calls that cannot run are none", async () => {
  const asked = await refuse({ text: "one" });
  const first = asked.detail.pending_id;
  expect(asked.detail).not.toHaveProperty("asked_before");
  const again = await refuse({ text: "one" });
  expect(again.detail).toMatchObject({ pending_id: first, asked_before: true });
  expect((await refuse({ text: "two" })).detail.pending_id).not.toBe(first);
  expect((await refuse({})).code).toBe("invalid_params");
});

test("More questions than may be open are answered with the page alone", async () => {
  for (const text of ["1", "2", "3", "4", "5"]) {
    expect((await refuse({ text })).detail.pending_id).toBeString();
  }
  const sixth = await refuse({ text: "6" });
  expect(sixth.detail).toMatchObject({ url: `https://hub.example/profile/accounts?row=${row}` });
  expect(sixth.detail.pending_id).toBeUndefined();
});

test("A question for an account takes no place of the questions that people decide", async () => {
  for (const text of ["1", "2", "3", "4", "5"]) await refuse({ text });
  await connect();
  const { db } = hub.deps.store;
  await transaction(db, (trx) => putRule(trx, newRule({ id: crypto.randomUUID(), rowId: row })));
  expect((await refuse({ text: "6" })).code).toBe("approval_required");
});

test("A rule that asks about the call asks after the account is connected, also by the pending id", async () => {
  const pendingId = String((await refuse({ text: "asked" })).detail.pending_id);
  const { db } = hub.deps.store;
  await transaction(db, (trx) => putRule(trx, newRule({ id: crypto.randomUUID(), rowId: row })));
  await connect();
  const asked = await refuse({ pendingId });
  expect(asked).toMatchObject({ code: "approval_required" });
  // It is the same call, which waits for another reason.
  expect(asked.detail.pending_id).toBe(pendingId);
  expect(sent).toEqual([]);
});

test("A connected account lets the tasks run that wait for it, and a lost one lets them wait again", async () => {
  const { db } = hub.deps.store;
  const { pending_id: id } = (await refuse({ text: "task" })).detail;
  await runSql(db, `update pending_calls set task = 1 where id = '${id}'`);
  const listRunnable = async () =>
    (await listRunnableCalls(db, { at: Date.now(), limit: 10 })).map((one) => one.id);
  expect(await listRunnable()).toEqual([]);
  await connect();
  expect(await listRunnable()).toEqual([String(id)]);
  await runSql(db, "update user_accounts set lost_at = 1, lost_reason = 'it was revoked'");
  expect((await refuse({ pendingId: String(id) })).detail.pending_id).toBe(id);
  expect(await stateOf(id)).toBe("open");
  await runSql(db, "update user_accounts set lost_at = null");
  const answer = await call({ pendingId: String(id) });
  expect(answer).toEqual({ sent: "task" });
  expect(await stateOf(id)).toBe("done");
});

test("A task that needs an account of another label ends instead of being tried for ever", async () => {
  const { pending_id: id } = (await refuse({ text: "label", account: "work" })).detail;
  await runSql(hub.deps.store.db, `update pending_calls set task = 1 where id = '${id}'`);
  await connect("private");
  await runApproved();
  expect(await stateOf(id)).toBe("ended");
  expect(sent).toEqual([]);
});

async function runApproved() {
  const { operations, now, store } = hub.deps;
  const findCaller = async () => ada.caller;
  const deps = { db: store.db, calls: operations.calls, now, findCaller };
  await runApprovedCalls(deps, new AbortController().signal);
}

test("A task that needs an account and an approval asks for both, one after the other, and runs once", async () => {
  const { db } = hub.deps.store;
  const id = String((await refuse({ text: "both" })).detail.pending_id);
  await runSql(db, `update pending_calls set task = 2 where id = '${id}'`);
  await transaction(db, (trx) => putRule(trx, newRule({ id: crypto.randomUUID(), rowId: row })));
  const before = await listTaskStamps(db, [id]);
  await connect();
  await runApproved();
  const asked = await findTask(db, id);
  expect(asked?.call).toMatchObject({
    state: "open",
    reason: "approval",
    decidedAt: null,
    shown: { account: "default", rule: { name: "Ask before acting" } },
  });
  expect(asked?.isAnswered).toBe(false);
  expect(await listTaskStamps(db, [id])).not.toEqual(before);
  // Its client may repeat it as well: it is the same question.
  expect((await refuse({ text: "both" })).detail.pending_id).toBe(id);
  expect((await refuse({ pendingId: id })).detail.pending_id).toBe(id);
  expect(sent).toEqual([]);
  await runSql(
    db,
    `update pending_calls set state = 'approved', approved_until = ${Date.now() + 60_000} where id = '${id}'`,
  );
  await runApproved();
  await runApproved();
  expect(await stateOf(id)).toBe("done");
  expect(sent).toEqual(["both"]);
});

test("A task that needs an account runs by a permission for an hour without a question", async () => {
  const { db } = hub.deps.store;
  const id = String((await refuse({ text: "allowed" })).detail.pending_id);
  await runSql(db, `update pending_calls set task = 1 where id = '${id}'`);
  await connect();
  await permitForAnHour();
  await runApproved();
  expect(await stateOf(id)).toBe("done");
  expect(sent).toEqual(["allowed"]);
});

/** Lets a rule ask about the row's calls, which a permission allows for the account that is connected. */
async function permitForAnHour(): Promise<void> {
  const { db } = hub.deps.store;
  const rule = newRule({ id: crypto.randomUUID(), rowId: row });
  await transaction(db, (trx) => putRule(trx, rule));
  const other = String((await refuse({ text: "other" })).detail.pending_id);
  const { principal, basis, shown } = (await findPendingCall(db, other)) ?? {};
  await runSql(
    db,
    `insert into call_permits (id, user_id, principal, principal_name, row_id, operation_key,
      account, rule_id, rule_revision, basis, fixed, created_at, expires_at, granted_by,
      granted_by_email, call_id)
    values ('${crypto.randomUUID()}', '${ada.caller.userId}', '${principal}', '', '${row}', 'send',
      '${shown?.accountId}', '${rule.id}', 1, '${basis}', '{}', 0, ${Date.now() + 60_000}, '', '', '${other}')`,
  );
}

test("A call that waited for an account and has run is answered by its id, also where a permission holds", async () => {
  const pendingId = String((await refuse({ text: "once" })).detail.pending_id);
  await connect();
  await permitForAnHour();
  expect(await call({ pendingId })).toEqual({ sent: "once" });
  expect(await call({ pendingId })).toEqual({ sent: "once" });
  expect(await stateOf(pendingId)).toBe("done");
  expect(sent).toEqual(["once"]);
});

test.each([
  ["denied", "refused_by_rule"],
  ["running", "still_running"],
])("A call that waited for an account is answered as its equal call, which is %s", async (state, code) => {
  const { db } = hub.deps.store;
  const pendingId = String((await refuse({ text: "equal" })).detail.pending_id);
  await connect();
  await transaction(db, (trx) => putRule(trx, newRule({ id: crypto.randomUUID(), rowId: row })));
  const equal = String((await refuse({ text: "equal" })).detail.pending_id);
  expect(equal).not.toBe(pendingId);
  await runSql(
    db,
    `update pending_calls set state = '${state}', decided_at = ${Date.now()} where id = '${equal}'`,
  );
  expect(await refuse({ pendingId })).toMatchObject({ code });
  expect(sent).toEqual([]);
});

test("A task that needs an account ends when a rule refuses its call", async () => {
  const { db } = hub.deps.store;
  const id = String((await refuse({ text: "refused" })).detail.pending_id);
  await runSql(db, `update pending_calls set task = 1 where id = '${id}'`);
  const rule = newRule({ id: crypto.randomUUID(), rowId: row, outcome: "refuse" });
  await transaction(db, (trx) => putRule(trx, rule));
  await connect();
  await runApproved();
  expect(await stateOf(id)).toBe("ended");
  expect(sent).toEqual([]);
});

test("A pending call of a row that leads elsewhere since is asked anew", async () => {
  const id = String((await refuse({ text: "elsewhere" })).detail.pending_id);
  await connect();
  await setRow(hub.deps, root.actor, row, { values: { base_url: "https://other.example/v1" } });
  expect((await refuse({ pendingId: id })).detail.pending_id).not.toBe(id);
  expect(await stateOf(id)).toBe("changed");
});

test("A row that leads elsewhere since runs nothing that waited for an account by its approval", async () => {
  const pendingId = String((await refuse({ text: "moved" })).detail.pending_id);
  await setRow(hub.deps, root.actor, row, { values: { base_url: "https://other.example/v1" } });
  await addAccount(hub.deps, ada, {
    row,
    label: "default",
    values: { token: "ada-tokeN-4fT8wQ1zR6yB" },
    hosts: ["https://other.example"],
  });
  await call({ pendingId });
  expect(await stateOf(pendingId)).toBe("changed");
});

const askAboutCalls = () =>
  transaction(hub.deps.store.db, (trx) =>
    putRule(trx, newRule({ id: crypto.randomUUID(), rowId: row })),
  );

/** Asks about a call that uses the account that is connected, and approves it. */
async function askApproved(text: string): Promise<string> {
  const { db } = hub.deps.store;
  const { code, detail } = await refuse({ text });
  expect(code).toBe("approval_required");
  const at = Date.now();
  const until = { approvedUntil: at + 900_000, keepUntil: at + 900_000 };
  const who = { by: "eva", byEmail: "eva@example.com", via: "page", comment: null };
  const id = String(detail.pending_id);
  expect(await putPendingDecision(db, { id, state: "approved", at, ...who, ...until })).toBe(true);
  return id;
}

const otherValues = { values: { token: "eva-tokeN-9kP3nH5cX2vLdd" }, hosts };
const accountChanges = {
  "the user typed other values": (id: string) => changeAccount(hub.deps, ada, id, otherValues),
  "the user connected another account with its label": async (id: string) => {
    await removeAccount(hub.deps, ada, id);
    await connect("default", otherValues.values.token);
  },
};

test.each(
  Object.entries(accountChanges),
)("An approved call is asked anew after %s", async (_, change) => {
  const account = await connect();
  await askAboutCalls();
  const [equal, named] = [await askApproved("equal"), await askApproved("named")];
  await change(account.id);
  for (const again of [{ text: "equal" }, { pendingId: named }]) {
    const { code, detail } = await refuse(again);
    expect(code).toBe("approval_required");
    expect([equal, named]).not.toContain(String(detail.pending_id));
  }
  expect(await stateOf(named)).toBe("changed");
  expect(sent).toEqual([]);
});

test("A new label of an account leaves an approved call as it is", async () => {
  const account = await connect();
  await askAboutCalls();
  const id = await askApproved("renamed");
  await changeAccount(hub.deps, ada, account.id, { label: "work" });
  expect(await call({ pendingId: id })).toEqual({ sent: "renamed" });
});

test("A call that ran with a dead server is not run again by its pending id", async () => {
  const pendingId = String((await refuse({ text: "lost" })).detail.pending_id);
  await connect();
  await runSql(
    hub.deps.store.db,
    `update pending_calls set state = 'unknown' where id = '${pendingId}'`,
  );
  expect((await refuse({ pendingId })).code).toBe("conflict");
  expect(sent).toEqual([]);
});

test("A call of a workflow is told the page, and is kept for no repeat", async () => {
  const { code, detail } = await refuse({ text: "run", isWorkflow: true });
  expect(code).toBe("needs_account");
  expect(detail.url).toBe(`https://hub.example/profile/accounts?row=${row}`);
  expect(detail.pending_id).toBeUndefined();
});

test("A picker answers with the account as it is now, not with what was looked up before", async () => {
  const lookUp = () => {
    const { signal } = new AbortController();
    const origin = { source: "mcp" as const, ip: null, userAgent: null };
    const question = { rowId: row, source: "drafts", query: "" };
    return hub.deps.operations.rows.lookUp({ caller: ada.caller, origin, signal }, question);
  };
  const { id } = await connect("default", "ada-tokeN-4fT8wQ1zR6yB");
  expect(await lookUp()).toMatchObject([{ name: "of ada" }]);
  await changeAccount(hub.deps, ada, id, { values: { token: "eva-tokeN-9kP3nH5c" }, hosts });
  expect(await lookUp()).toMatchObject([{ name: "of eva" }]);
  await removeAccount(hub.deps, ada, id);
  await expect(lookUp()).rejects.toMatchObject({ code: "needs_account" });
});
