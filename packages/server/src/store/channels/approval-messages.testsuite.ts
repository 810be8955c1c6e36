import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { newUser } from "../test-data.ts";
import { insertTestApproval } from "../testing/insert-approval.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser } from "../users/users-table.ts";
import type { NewApproval } from "../workflow-runs/workflow-approval-records.ts";
import { putDecision } from "../workflow-runs/workflow-approvals-table.ts";
import {
  type ApprovalMessage,
  claimApprovalMessages,
  completeApprovalMessage,
  findApprovalMessage,
  insertApprovalMessages,
  listApprovalMessages,
  listUntoldApprovals,
  markTold,
  putMessageFailure,
  putShownMessage,
  wakeMessages,
} from "./approval-messages.ts";

const minuteMs = 60_000;

/** The messages of approvals in chats: stored once, sent by one server at a time, changed at the end. */
export function describeApprovalMessages(stores: () => TestStores): void {
  const db = () => stores().store.db;

  const tell = (id: string, state: "pending" | "approved" = "pending", on = db()) =>
    transaction(on, (trx) => markTold(trx, { id, state }));
  const approve = (id: string) =>
    putDecision(db(), {
      id,
      hash: "h",
      state: "approved",
      at: 5_000,
      by: "u1",
      byEmail: "a@b.c",
      comment: null,
    });
  const wake = (approvalId: string) =>
    transaction(db(), (trx) => wakeMessages(trx, { about: "approval", id: approvalId }));
  const claim = (given: { limit?: number; claimMs?: number } = {}, on = db()) =>
    claimApprovalMessages(on, { about: "approval", limit: 100, claimMs: minuteMs, ...given });
  const idsOf = (messages: readonly { id: string }[]) => messages.map(({ id }) => id).toSorted();
  const makeDue = (id: string, at: number) =>
    runSql(db(), "update approval_messages set due_at = ? where id = ?", at, id);

  /** An approval with messages that are due, in the order of their ids. */
  async function addMessages(count = 1, given: Partial<NewApproval> = {}) {
    const approval = await insertTestApproval(db(), given);
    const messages = Array.from({ length: count }, (_, at) => ({
      id: crypto.randomUUID(),
      about: "approval" as const,
      subjectId: approval.id,
      userId: `u${at}`,
      kind: "slack",
      teamId: "T1",
      accountId: `U${at}`,
      hash: "h",
    })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    await transaction(db(), (trx) => insertApprovalMessages(trx, messages));
    const [first] = messages;
    if (first === undefined) throw new Error("There is no message");
    return { approval, messages, first };
  }
  const find = async (id: string): Promise<ApprovalMessage> => {
    const found = await findApprovalMessage(db(), id);
    if (found === null) throw new Error(`There is no message ${id}`);
    return found;
  };
  const claimOne = async (): Promise<ApprovalMessage> => {
    const [message, ...others] = await claim();
    if (message === undefined || others.length > 0) throw new Error("Not one message is due");
    return message;
  };

  test("Approvals whose state was not sent to the chats are listed, oldest first, until that is recorded", async () => {
    const late = await insertTestApproval(db(), { createdAt: 2_000 });
    const early = await insertTestApproval(db(), { createdAt: 1_000 });
    expect(await listUntoldApprovals(db(), 10)).toEqual([early.id, late.id]);
    expect(await listUntoldApprovals(db(), 1)).toEqual([early.id]);
    expect(await tell(early.id, "approved")).toBeFalse();
    expect(await tell(early.id)).toBeTrue();
    expect(await tell(early.id)).toBeFalse();
    expect(await listUntoldApprovals(db(), 10)).toEqual([late.id]);
    await approve(early.id);
    expect(await listUntoldApprovals(db(), 10)).toEqual([early.id, late.id]);
    // What was read before the decision is no longer true.
    expect(await tell(early.id, "pending")).toBeFalse();
    expect(await tell(early.id, "approved")).toBeTrue();
    expect(await listUntoldApprovals(db(), 10)).toEqual([late.id]);
  });

  test("Of several servers that record a new approval at once, one succeeds", async () => {
    const another = await stores().openAnother();
    const { id } = await insertTestApproval(db());
    const recorded = await Promise.all(
      Array.from({ length: 8 }, (_, at) => tell(id, "pending", at % 2 ? another.db : db())),
    );
    expect(recorded.filter(Boolean)).toHaveLength(1);
  });

  test("New messages are due at once, and a claimed one is not until its time is over", async () => {
    const { approval, messages, first } = await addMessages(3);
    expect(await find(first.id)).toEqual({
      ...first,
      location: null,
      shown: null,
      attempts: 0,
      failure: null,
      dueAt: expect.any(Number),
    });
    expect(idsOf(await claim())).toEqual(idsOf(messages));
    expect(await claim()).toEqual([]);
    // The server that claimed it is gone.
    await makeDue(first.id, 1);
    expect(idsOf(await claim({ claimMs: -1 }))).toEqual([first.id]);
    expect(idsOf(await claim())).toEqual([first.id]);
    expect(idsOf(await listApprovalMessages(db(), approval.id))).toEqual(idsOf(messages));
  });

  test("The messages that are due for the longest are claimed first, and no more than the limit", async () => {
    const { messages } = await addMessages(5);
    for (const [at, { id }] of messages.entries()) await makeDue(id, 10 - at);
    const expected = messages.map(({ id }) => id).toReversed();
    expect(idsOf(await claim({ limit: 2 }))).toEqual(expected.slice(0, 2).toSorted());
    expect(idsOf(await claim({ limit: 2 }))).toEqual(expected.slice(2, 4).toSorted());
    expect(idsOf(await claim({ limit: 2 }))).toEqual(expected.slice(4));
  });

  test("Of servers that claim at once, each message goes to one", async () => {
    const another = await stores().openAnother();
    const { messages } = await addMessages(40);
    const claimed = await Promise.all(
      Array.from({ length: 8 }, (_, at) => claim({ limit: 10 }, at % 2 ? another.db : db())),
    );
    const ids = idsOf(claimed.flat());
    expect(ids).toEqual([...new Set(ids)]);
    // Servers that chose the same ones left others for the next time.
    const rest = idsOf(await claim());
    expect([...ids, ...rest].toSorted()).toEqual(idsOf(messages));
  });

  test("A message that was sent stays due until it is completed", async () => {
    const { first } = await addMessages();
    const location = { rowId: "row", channelId: "D1", ts: "1.2" };
    const claimed = await claimOne();
    await putMessageFailure(db(), claimed, { failure: "Busy", afterMs: 0 });
    const again = await claimOne();
    expect(again).toMatchObject({ attempts: 1, failure: "Busy", location: null });
    await putShownMessage(db(), { about: "approval", id: first.id, location, shown: "pending" });
    const sent = await claimOne();
    expect(sent).toMatchObject({ location, shown: "pending", attempts: 0, failure: null });
    await completeApprovalMessage(db(), sent);
    expect((await find(first.id)).dueAt).toBeNull();
    expect(await claim()).toEqual([]);
  });

  test("A message that is woken while a server works on it is neither completed nor postponed", async () => {
    const { approval, first } = await addMessages();
    for (const finish of [
      (claimed: ApprovalMessage) => completeApprovalMessage(db(), claimed),
      (claimed: ApprovalMessage) =>
        putMessageFailure(db(), claimed, { failure: "Gone", afterMs: null }),
    ]) {
      const claimed = await claimOne();
      await wake(approval.id);
      await finish(claimed);
      expect(await find(first.id)).toMatchObject({ attempts: 0, failure: null });
    }
    expect(idsOf(await claim())).toEqual([first.id]);
  });

  test("A failure puts a message off for its time or for ever, and the end of the approval wakes it", async () => {
    const { approval, first } = await addMessages();
    const other = await addMessages();
    await completeApprovalMessage(db(), await find(other.first.id));
    await putMessageFailure(db(), await claimOne(), { failure: "Later", afterMs: minuteMs });
    expect(await claim()).toEqual([]);
    const later = await find(first.id);
    expect(later).toMatchObject({ attempts: 1, failure: "Later" });
    await putMessageFailure(db(), later, { failure: "Never", afterMs: null });
    expect(await find(first.id)).toMatchObject({ attempts: 2, failure: "Never", dueAt: null });
    await wake(approval.id);
    expect(await claimOne()).toMatchObject({ id: first.id, attempts: 0 });
  });

  test("The messages of an approval are listed with the e-mails of those who are asked, and end with it", async () => {
    const { id: userId } = await insertUser(db(), newUser({ email: "ann@example.com" }));
    const { approval, first } = await addMessages(2);
    await runSql(db(), "update approval_messages set user_id = ? where id = ?", userId, first.id);
    const listed = await listApprovalMessages(db(), approval.id);
    expect(listed.map(({ rowId }) => rowId)).toEqual([null, null]);
    expect(listed.map(({ id, email }) => [id === first.id, email]).toSorted()).toEqual([
      [false, null],
      [true, "ann@example.com"],
    ]);
    expect(await listApprovalMessages(db(), crypto.randomUUID())).toEqual([]);
    await runSql(db(), "delete from workflow_approvals where id = ?", approval.id);
    expect(await findApprovalMessage(db(), first.id)).toBeNull();
  });
}
