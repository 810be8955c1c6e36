import { expect, test } from "bun:test";
import type { WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import type { Caller } from "../../caller.ts";
import { insertApprovalMessages } from "../../store/channels/approval-messages.ts";
import { insertChatAccount } from "../../store/channels/chat-accounts-table.ts";
import { transaction } from "../../store/database/database.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import { newRow, newUser } from "../../store/test-data.ts";
import { insertTestApproval } from "../../store/testing/insert-approval.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { findApproval } from "../../store/workflow-runs/workflow-approvals-table.ts";
import { openEngine } from "../engine/testing/open-engine.ts";
import { toSummaryText } from "./approval-summary.ts";
import { presentApproval, presentListed } from "./present-approval.ts";

/** An approval that asks Ann and Bob by a channel with the tag `board`, and its presentation. */
async function open() {
  const hub = await openEngine();
  const { db } = hub.store;
  const row = await insertRow(db, newRow({ label: "Board", slug: "board", tags: ["board"] }));
  const { id } = await insertTestApproval(db);
  const userIds: Record<string, string> = {};
  for (const name of ["ann", "bob"]) {
    const user = await insertUser(db, newUser({ email: `${name}@example.com` }));
    userIds[name] = user.id;
    const identity = { kind: "slack", teamId: "T1", accountId: name };
    await insertChatAccount(db, {
      ...identity,
      id: crypto.randomUUID(),
      userId: user.id,
      rowId: row.id,
      createdAt: 1,
      accountName: null,
      teamName: null,
    });
    const about = { about: "approval", subjectId: id } as const;
    const message = { ...identity, ...about, id: crypto.randomUUID(), userId: user.id, hash: "h" };
    await transaction(db, (trx) => insertApprovalMessages(trx, [message]));
  }
  await runSql(db, "update approval_messages set failure = 'not_in_channel'");
  const approval = await findApproval(db, id);
  if (approval === null) throw new Error("There is no approval");
  return {
    async present(userId: string, viewer: Pick<Caller, "role" | "tags">) {
      const { asked_in_chat: asked } = await presentApproval(db, approval, {
        workflow: { id: "wf", name: "Report" },
        at: 2_000,
        userId,
        viewer,
        seesWorkflow: false,
        isLocal: false,
        isAdmin: viewer.role === "admin",
        isApprover: true,
      });
      return asked.map(({ email, channel, failure }) => [email, channel?.slug ?? null, failure]);
    },
    userIds,
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

const none: ReadonlySet<string> = new Set();

test("A caller who does not see a channel gets none of its messages to others", async () => {
  await using test = await open();
  const viewer = { role: "user" as const, tags: none };
  expect(await test.present(crypto.randomUUID(), viewer)).toEqual([]);
  // One's own message is no secret, but the channel and its failures are.
  expect(await test.present(test.userIds.ann ?? "", viewer)).toEqual([
    ["ann@example.com", null, null],
  ]);
});

test.each([
  ["A user with its tag", { role: "user" as const, tags: new Set(["board"]) }],
  ["An admin", { role: "admin" as const, tags: none }],
])("%s sees who is asked by a channel, and why it failed", async (_who, viewer) => {
  await using test = await open();
  expect(await test.present(crypto.randomUUID(), viewer)).toMatchObject([
    ["ann@example.com", expect.anything(), "not_in_channel"],
    ["bob@example.com", expect.anything(), "not_in_channel"],
  ]);
});

const willRun: WorkflowWillRun = {
  node_id: "post",
  label: null,
  type: "operation",
  target: "conn:00000000-0000-4000-8000-000000000001/create_order",
  row_label: "Orders",
  connector_key: "shop",
  connector_name: "Shop",
  operation_name: "Create order",
  operation_description: "Creates an order.",
  target_name: null,
  destructive: true,
  fields: {},
  is_rendered: true,
  is_cut: false,
  depends_on: [],
  uses_time: false,
  items: null,
  problem: null,
};
const values = [{ label: "Amount", value: "1".repeat(300), is_cut: false }];
const subject = {
  type: "operation",
  target: "conn:00000000-0000-4000-8000-000000000001/create_order",
  target_name: null,
  row_label: "Orders",
  connector_key: "shop",
  connector_name: "Shop",
  operation_name: "Create order",
  destructive: true,
};
const noOne = { userId: "u1", isLocal: false, isApprover: false, isAdmin: false };
const reading = { ...noOne, workflow: { id: "wf", name: "Report" }, at: 2_000 };

async function store(given: Parameters<typeof insertTestApproval>[1]) {
  const hub = await openEngine();
  const { id } = await insertTestApproval(hub.store.db, { ownerId: "ann", ...given });
  const approval = await findApproval(hub.store.db, id);
  if (approval === null) throw new Error("There is no approval");
  return {
    list: (who: object) => presentListed(approval, { ...reading, ...who }),
    show: (who: object) =>
      presentApproval(hub.store.db, approval, {
        ...reading,
        ...who,
        viewer: null,
        seesWorkflow: false,
      }),
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

test("Approvers, admins and the user as whom it runs learn the names of the row; another owner does not", async () => {
  const stored = { shown: [willRun], more: 0, values };
  await using test = await store({
    willRun: JSON.stringify(stored),
    summary: toSummaryText(stored),
  });
  for (const who of [
    { isApprover: true },
    { isAdmin: true },
    { isLocal: true },
    { userId: "ann" },
  ]) {
    expect(test.list(who)).toMatchObject({
      subject,
      values: [{ label: "Amount", value: "1".repeat(200), is_cut: true }],
    });
    expect(await test.show(who)).toMatchObject({ subject, values, will_run: [willRun] });
  }
  expect(test.list({})).toMatchObject({ subject: null });
  const shown = await test.show({});
  expect(shown).toMatchObject({ subject: null, values, will_run: [{ node_id: "post" }] });
  expect(JSON.stringify(shown)).not.toMatch(/Orders|Shop|Create order|Creates/);
});

test("An approval of a version before has no values, and of its names what the stored id says", async () => {
  const {
    row_label: _row,
    connector_key: _key,
    connector_name: _name,
    operation_name: _operation,
    operation_description: _about,
    target_name: _target,
    destructive: _destructive,
    ...older
  } = willRun;
  const more = { ...older, type: "http", target: "POST" };
  await using test = await store({ willRun: JSON.stringify({ shown: [older, more], more: 2 }) });
  const approver = { isApprover: true };
  expect(test.list(approver)).toMatchObject({ values: [], subject: null, may_decide: true });
  const none = { row_label: null, connector_key: null, connector_name: null };
  expect(await test.show(approver)).toMatchObject({
    values: [],
    subject: { ...none, operation_name: "create_order", destructive: true },
    will_run: [
      { ...none, operation_name: "create_order", operation_description: null, destructive: true },
      { ...none, operation_name: null, operation_description: null, destructive: false },
    ],
    will_run_more: 2,
  });
});

test("A summary of a version before has the row and the operation, and no type of the node", async () => {
  const { type: _type, target: _target, target_name: _name, ...older } = subject;
  const summary = JSON.stringify({ values, subject: older });
  await using test = await store({ summary });
  const none = { type: null, target: null, target_name: null };
  expect(test.list({ isApprover: true })).toMatchObject({ subject: { ...older, ...none } });
  await using empty = await store({ summary: JSON.stringify({ values, subject: null }) });
  expect(empty.list({ isApprover: true })).toMatchObject({ subject: null });
});
