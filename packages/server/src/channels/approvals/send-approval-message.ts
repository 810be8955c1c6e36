import type { GuardedFetch } from "@hub/connector";
import type { Directory, Row, RowDirectory } from "../../connectors/rows/row-directory.ts";
import { findLinkedUser } from "../../identity/find-linked-user.ts";
import { isRowOn } from "../../operations/admission/list-form.ts";
import {
  type ApprovalMessage,
  completeApprovalMessage,
  type MessageLocation,
  putMessageFailure,
  putShownMessage,
} from "../../store/channels/approval-messages.ts";
import { listChannelStates } from "../../store/channels/channels-table.ts";
import { findLinkedRow } from "../../store/channels/chat-accounts-table.ts";
import type { Db } from "../../store/database/database.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import { findUserById } from "../../store/users/users-table.ts";
import type { ApprovalRecord } from "../../store/workflow-runs/workflow-approval-records.ts";
import { findApproval, isApproverOf } from "../../store/workflow-runs/workflow-approvals-table.ts";
import { findWorkflow } from "../../store/workflows/workflows-table.ts";
import { presentApproval } from "../../workflows/approvals/present-approval.ts";
import {
  type ApprovalCard,
  type ChatAdapter,
  ChatRetryLater,
  ChatUndeliverable,
  type OpenChannel,
} from "../chat-adapter.ts";
import { hideSecrets, type OpenChannelDeps, openChannel, parseAccount } from "../open-channel.ts";
import { findCallTopic } from "./find-call-topic.ts";
import type { MessageTopic } from "./message-topic.ts";
import { toCard } from "./to-card.ts";

export type SendDeps = OpenChannelDeps & {
  db: Db;
  directory: Pick<RowDirectory, "current">;
  loadAdapter(kind: string): Promise<ChatAdapter>;
  /** Without a slash at its end; null if it is not known. */
  readBaseUrl(): string | null;
  /** Until when a platform takes no messages of a row, in epoch ms. */
  pauses: Map<string, number>;
  /** The last call of each row. */
  lanes: Map<string, Promise<unknown>>;
};

const retryMsMin = 1_000;
const retryMsMax = 5 * 60_000;
const retryAfterMsMax = 60 * 60_000;
/** About ten hours. */
const attemptsMax = 128;
const failureCharsMax = 300;
const hangingMs = 10_000;

/** Brings one claimed message to the state of its approval. Never throws for what the platform does. */
export async function sendApprovalMessage(
  deps: SendDeps,
  message: ApprovalMessage,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  const subject = await findSubject(deps, message);
  const isAsked = message.location !== null;
  const isDone = message.shown === subject?.state || (!isAsked && subject?.isOpen === false);
  if (subject === null || isDone) return await completeApprovalMessage(db, message);
  if (!isAsked && !(await isStillApprover(db, message, subject))) {
    const failure = "The user is no approver any more, or has unlinked the chat account.";
    return await putMessageFailure(db, message, { failure, afterMs: null });
  }
  let hide = (text: string) => text;
  let rowId = "";
  try {
    const { row, channel, adapter } = await findChannelFor(deps, message, signal);
    rowId = row.id;
    hide = (text) => hideSecrets(text, row.config().secrets.texts);
    const card = await subject.makeCard();
    // One after another, so that a limit of the platform holds for those that wait.
    const location = await runInLane(deps.lanes, rowId, async (): Promise<MessageLocation> => {
      checkPause(deps, row.id);
      const { approvals } = adapter;
      const known = message.location;
      if (known === null) {
        return { rowId, ...(await approvals.ask(channel, message.accountId, card)) };
      }
      await approvals.end(channel, known, card);
      return known;
    });
    await putShownMessage(db, {
      about: message.about,
      id: message.id,
      location,
      shown: subject.state,
    });
  } catch (err) {
    const text = err instanceof Error ? err.message : String(err);
    const failure = hide(text).slice(0, failureCharsMax);
    const afterMs = toPauseMs(err, message);
    const isLimited = err instanceof ChatRetryLater;
    if (isLimited && afterMs !== null) deps.pauses.set(rowId, deps.now() + afterMs);
    // A platform that hangs would hold up each of those that wait.
    else if (signal.aborted) deps.pauses.set(rowId, deps.now() + hangingMs);
    // Waiting for the lane of the row is no failed attempt.
    const attempts = isLimited ? message.attempts - 1 : message.attempts;
    await putMessageFailure(db, { ...message, attempts }, { failure, afterMs });
  }
}

async function runInLane<Result>(
  lanes: Map<string, Promise<unknown>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = lanes.get(key) ?? Promise.resolve();
  const own = before.catch(() => {}).then(work);
  lanes.set(key, own);
  try {
    return await own;
  } finally {
    if (lanes.get(key) === own) lanes.delete(key);
  }
}

/** A limit of the platform holds for all messages of the bot. */
function checkPause({ pauses, now }: SendDeps, rowId: string): void {
  const leftMs = (pauses.get(rowId) ?? 0) - now();
  if (leftMs > 0) throw new ChatRetryLater("The platform limits the messages of the bot.", leftMs);
  pauses.delete(rowId);
}

/** The rights may have changed since the message was stored. */
async function isStillApprover(
  db: Db,
  message: ApprovalMessage,
  subject: MessageTopic,
): Promise<boolean> {
  const { kind, teamId, accountId, userId } = message;
  if ((await findLinkedUser({ db }, { kind, teamId, accountId })) !== userId) return false;
  const user = await findUserById(db, userId);
  if (user === null) return false;
  return await subject.mayDecide(user);
}

/** Null if it is not tried again. */
function toPauseMs(err: unknown, { attempts }: ApprovalMessage): number | null {
  if (err instanceof ChatUndeliverable || attempts + 1 >= attemptsMax) return null;
  if (err instanceof ChatRetryLater) {
    return Math.min(Math.max(Math.ceil(err.retryAfterMs), retryMsMin), retryAfterMsMax);
  }
  return Math.min(retryMsMin * 2 ** Math.min(attempts, 20), retryMsMax);
}

async function findSubject(deps: SendDeps, message: ApprovalMessage): Promise<MessageTopic | null> {
  const { db } = deps;
  if (message.about === "call") return await findCallTopic(deps, message);
  const approval = await findApproval(db, message.subjectId);
  return (
    approval && {
      state: approval.state,
      isOpen: approval.state === "pending",
      mayDecide: async ({ id: userId, email, tags }) =>
        await isApproverOf(db, approval.id, { userId, email, tags: [...tags, EVERYONE_TAG] }),
      makeCard: () => makeApprovalCard(deps, approval, message),
    }
  );
}

async function makeApprovalCard(
  { db, readBaseUrl, now }: SendDeps,
  approval: ApprovalRecord,
  { id, userId }: ApprovalMessage,
): Promise<ApprovalCard> {
  const workflow = await findWorkflow(db, approval.workflowId);
  const shown = await presentApproval(db, approval, {
    workflow: workflow ?? { id: approval.workflowId, name: approval.workflowId },
    at: now(),
    userId,
    isLocal: false,
    isAdmin: false,
    isApprover: true,
    // The message does not name the other approvers.
    viewer: null,
    // Nor does it lead to the run.
    seesWorkflow: false,
  });
  // The state that is stored: a late one is told when its run has noticed.
  return toCard(id, { ...shown, state: approval.state }, readBaseUrl());
}

type Found = { row: Row; channel: OpenChannel; adapter: ChatAdapter };

/** The channel that sent the message; else the one over which the account was linked, or one like it. */
async function findChannelFor(
  deps: SendDeps,
  message: ApprovalMessage,
  signal: AbortSignal,
): Promise<Found> {
  const { db } = deps;
  const directory = await deps.directory.current();
  const rows = directory.rows.filter((row) => isUsable(directory, row, message.kind));
  const states = await listChannelStates(
    db,
    rows.map(({ id }) => id),
  );
  const accounts = new Map(states.map((one) => [one.rowId, parseAccount(one.account)]));
  const wanted = message.location?.rowId ?? (await findLinkedRow(db, message));
  const row =
    rows.find(({ id }) => id === wanted) ??
    // Messages can be changed only by the bot that sent them.
    (message.location === null
      ? rows.find(({ id }) => accounts.get(id)?.teamId === message.teamId)
      : undefined);
  await row?.prepare?.();
  const channel = row && openChannel(deps, row, accounts.get(row.id) ?? null);
  if (!row || !channel) {
    throw new Error(`There is no enabled ${message.kind} channel that can send the message.`);
  }
  const ending: GuardedFetch = (input, init = {}) =>
    channel.fetch(input, {
      ...init,
      signal: AbortSignal.any(init.signal ? [init.signal, signal] : [signal]),
    });
  return {
    row,
    channel: { ...channel, fetch: ending },
    adapter: await deps.loadAdapter(message.kind),
  };
}

const isUsable = (directory: Directory, row: Row, kind: string) =>
  row.connectorKey === kind && row.slug !== null && isRowOn(directory, row);
