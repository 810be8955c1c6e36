import { type Selectable, sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toClock, toKysely } from "../database/kysely.ts";
import { qualify, tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";
import type { ApprovalState } from "../workflow-runs/workflow-approval-records.ts";
import { type ChatIdentity, toIdentityColumns } from "./chat-accounts-table.ts";

/** What people are asked about: an approval of a workflow, or a call that waits. */
export type MessageSubject = "approval" | "call";

/** The message by which one chat account of an approver is asked. */
export type ApprovalMessage = ChatIdentity & {
  /** A random UUID, which the buttons carry. */
  id: string;
  about: MessageSubject;
  /** The id of the approval or of the call. */
  subjectId: string;
  userId: string;
  /** Of what the message shows. */
  hash: string;
  /** Null before it was sent. */
  location: MessageLocation | null;
  /** The state that the message shows; null before it was sent. */
  shown: string | null;
  /** Failures since it was last sent or changed. */
  attempts: number;
  /** In epoch ms; null if there is nothing to do. */
  dueAt: number | null;
  failure: string | null;
};

/** Where a message is: the channel that sent it, and the platform's ids. */
export type MessageLocation = { rowId: string; channelId: string; ts: string };

/** Approvals whose state the chats do not know yet, oldest first. */
export async function listUntoldApprovals(db: Db, limit: number): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("workflow_approvals")
    .select("id")
    .where(sql<boolean>`chat_state <> state`)
    .orderBy("created_at")
    .limit(limit)
    .execute();
  return found.map(({ id }) => id);
}

/** Records that the chats know this state. False if the approval has another one, or they know already. */
export async function markTold(
  db: Transaction,
  { id, state }: { id: string; state: ApprovalState },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("workflow_approvals")
    .set({ chat_state: state })
    .where("id", "=", id)
    .where("state", "=", state)
    .where("chat_state", "<>", state)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type NewApprovalMessage = Pick<
  ApprovalMessage,
  "id" | "about" | "subjectId" | "userId" | "kind" | "teamId" | "accountId" | "hash"
>;

/** Stores messages that are to be sent now. */
export async function insertApprovalMessages(
  db: Transaction,
  messages: readonly NewApprovalMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const clock = toClock(db);
  const kysely = toKysely(db);
  for (const { id, about, subjectId, userId, hash, ...identity } of messages) {
    const columns = { id, user_id: userId, hash, due_at: clock, ...toIdentityColumns(identity) };
    const inserted =
      about === "call"
        ? kysely.insertInto("call_messages").values({ ...columns, call_id: subjectId })
        : kysely.insertInto("approval_messages").values({ ...columns, approval_id: subjectId });
    await inserted.execute();
  }
}

/** Lets servers look at the messages of an approval or a call again. */
export async function wakeMessages(
  db: Transaction,
  { about, id }: { about: MessageSubject; id: string },
): Promise<void> {
  const woken = { due_at: toClock(db), attempts: 0 };
  const kysely = toKysely(db);
  await (about === "call"
    ? kysely.updateTable("call_messages").set(woken).where("call_id", "=", id)
    : kysely.updateTable("approval_messages").set(woken).where("approval_id", "=", id)
  ).execute();
}

/** Takes due messages. Unless they are completed, they are due again after `claimMs`. */
export async function claimApprovalMessages(
  db: Db,
  { about, limit, claimMs }: { about: MessageSubject; limit: number; claimMs: number },
): Promise<ApprovalMessage[]> {
  const clock = toClock(db);
  const table = toTable(about);
  const claimed = await toKysely(db)
    .updateTable(table)
    .set({ due_at: sql<number>`${clock} + ${sql.lit(claimMs)}` })
    .where((one) =>
      one(
        "id",
        "in",
        one
          .selectFrom(table)
          .select("id")
          .where("due_at", "<=", clock)
          .orderBy("due_at")
          .limit(limit),
      ),
    )
    .where("due_at", "<=", clock)
    .returning(toColumns(about))
    .execute();
  return claimed.map((message) => toMessage(about, message));
}

/** The two tables differ in one column, which `toColumns` alone reads. */
function toTable(about: MessageSubject): "approval_messages" {
  // Safe: as above.
  return (about === "call" ? "call_messages" : "approval_messages") as "approval_messages";
}

function toColumns(about: MessageSubject): typeof tableColumns.approval_messages {
  // Safe: `toMessage` reads the column that differs.
  const columns = about === "call" ? tableColumns.call_messages : tableColumns.approval_messages;
  return columns as unknown as typeof tableColumns.approval_messages;
}

/**
 * Records that a message shows a state. It stays due: the approval may have ended while the message was
 * on its way.
 */
export async function putShownMessage(
  db: Db,
  {
    about,
    id,
    location,
    shown,
  }: Pick<ApprovalMessage, "about" | "id"> & {
    location: MessageLocation;
    shown: string;
  },
): Promise<void> {
  const { rowId: row_id, channelId: channel_id, ts } = location;
  await toKysely(db)
    .updateTable(toTable(about))
    .set({ row_id, channel_id, ts, shown, attempts: 0, failure: null, due_at: toClock(db) })
    .where("id", "=", id)
    .execute();
}

/** Ends the work on a claimed message, unless it was woken meanwhile. */
export async function completeApprovalMessage(
  db: Db,
  { about, id, dueAt }: Pick<ApprovalMessage, "about" | "id" | "dueAt">,
): Promise<void> {
  await toKysely(db)
    .updateTable(toTable(about))
    .set({ due_at: null })
    .where("id", "=", id)
    .where("due_at", "=", dueAt)
    .execute();
}

/** Records why a claimed message was not sent, and when to try again; null for never. */
export async function putMessageFailure(
  db: Db,
  { about, id, dueAt, attempts }: Pick<ApprovalMessage, "about" | "id" | "dueAt" | "attempts">,
  { failure, afterMs }: { failure: string; afterMs: number | null },
): Promise<void> {
  const next = afterMs === null ? null : sql<number>`${toClock(db)} + ${sql.lit(afterMs)}`;
  await toKysely(db)
    .updateTable(toTable(about))
    .set({ failure, attempts: attempts + 1, due_at: next })
    .where("id", "=", id)
    .where("due_at", "=", dueAt)
    .execute();
}

/** Of an approval or a call, whose messages have ids of the same kind. */
export async function findApprovalMessage(db: Db, id: string): Promise<ApprovalMessage | null> {
  for (const about of ["approval", "call"] as const) {
    const found = await toKysely(db)
      .selectFrom(toTable(about))
      .select(toColumns(about))
      .where("id", "=", id)
      .executeTakeFirst();
    if (found !== undefined) return toMessage(about, found);
  }
  return null;
}

/** The messages of an approval, with the e-mails of those who are asked, and the channels that send them. */
export async function listApprovalMessages(
  db: Db,
  approvalId: string,
): Promise<(ApprovalMessage & { email: string | null; rowId: string | null })[]> {
  const found = await toKysely(db)
    .selectFrom("approval_messages")
    .leftJoin("users", "users.id", "approval_messages.user_id")
    .leftJoin("chat_accounts", (account) =>
      account
        .onRef("chat_accounts.kind", "=", "approval_messages.kind")
        .onRef("chat_accounts.team_id", "=", "approval_messages.team_id")
        .onRef("chat_accounts.account_id", "=", "approval_messages.account_id"),
    )
    .select(qualify("approval_messages"))
    .select(["users.email", "chat_accounts.row_id as linkedRowId"])
    .where("approval_id", "=", approvalId)
    .orderBy("users.email")
    .orderBy("approval_messages.id")
    .execute();
  return found.map(({ email, linkedRowId, ...message }) => ({
    ...toMessage("approval", message),
    email,
    rowId: message.row_id ?? linkedRowId,
  }));
}

type StoredMessage = Omit<Selectable<Tables["approval_messages"]>, "approval_id"> & {
  approval_id?: string;
  call_id?: string;
};

function toMessage(about: MessageSubject, message: StoredMessage): ApprovalMessage {
  const { row_id: rowId, channel_id: channelId, ts } = message;
  const isSent = rowId !== null && channelId !== null && ts !== null;
  return {
    id: message.id,
    about,
    subjectId: message.approval_id ?? message.call_id ?? "",
    userId: message.user_id,
    kind: message.kind,
    teamId: message.team_id === "" ? null : message.team_id,
    accountId: message.account_id,
    hash: message.hash,
    location: isSent ? { rowId, channelId, ts } : null,
    shown: message.shown,
    attempts: message.attempts,
    dueAt: message.due_at,
    failure: message.failure,
  };
}
