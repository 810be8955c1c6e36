import { expect, test } from "bun:test";
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
import { presentApproval } from "./present-approval.ts";

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
    const message = { ...identity, id: crypto.randomUUID(), approvalId: id, userId: user.id };
    await transaction(db, (trx) => insertApprovalMessages(trx, [{ ...message, hash: "h" }]));
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
