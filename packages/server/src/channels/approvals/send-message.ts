import type { GuardedFetch } from "@hub/connector";
import type { Directory, Row, RowDirectory } from "../../connectors/row-directory.ts";
import {
  type ApprovalMessage,
  findLinkedRow,
  putMessageFailure,
  putShownMessage,
  settleApprovalMessage,
} from "../../store/approval-messages.ts";
import { listChannelStates } from "../../store/channel-states.ts";
import type { Db } from "../../store/database.ts";
import type { ApprovalRecord } from "../../store/workflow-approval-records.ts";
import { findApproval } from "../../store/workflow-approvals.ts";
import { findWorkflow } from "../../store/workflows.ts";
import { presentApproval } from "../../workflows/approvals/present-approval.ts";
import {
  type ApprovalCard,
  type ChatAdapter,
  ChatRetryLater,
  ChatUndeliverable,
  type OpenChannel,
} from "../chat-adapter.ts";
import { hideSecrets, type OpenChannelDeps, openChannel, parseAccount } from "../open-channel.ts";
import { toCard } from "./to-card.ts";

export type SendDeps = OpenChannelDeps & {
  db: Db;
  directory: Pick<RowDirectory, "current">;
  loadAdapter(kind: string): Promise<ChatAdapter>;
  /** Without a slash at its end; null if it is not known. */
  readBaseUrl(): string | null;
};

const retryMsMin = 1_000;
const retryMsMax = 5 * 60_000;
const retryAfterMsMax = 60 * 60_000;
/** About ten hours. */
const attemptsMax = 128;
const failureCharsMax = 300;

/** Brings one claimed message to the state of its approval. Never throws for what the platform does. */
export async function sendApprovalMessage(
  deps: SendDeps,
  message: ApprovalMessage,
  signal: AbortSignal,
): Promise<void> {
  const { db } = deps;
  const approval = await findApproval(db, message.approvalId);
  const isAsked = message.place !== null;
  const isDone = message.shown === approval?.state || (!isAsked && approval?.state !== "pending");
  if (approval === null || isDone) return await settleApprovalMessage(db, message);
  let hide = (text: string) => text;
  try {
    const { row, channel, adapter } = await findChannelFor(deps, message, signal);
    hide = (text) => hideSecrets(text, row.config().secrets.texts);
    const card = await makeCard(deps, approval, message);
    const place = message.place ?? {
      rowId: row.id,
      ...(await adapter.approvals.ask(channel, message.accountId, card)),
    };
    if (isAsked) await adapter.approvals.end(channel, place, card);
    await putShownMessage(db, { id: message.id, place, shown: approval.state });
  } catch (err) {
    const text = err instanceof Error ? err.message : String(err);
    const failure = hide(text).slice(0, failureCharsMax);
    await putMessageFailure(db, message, { failure, afterMs: toPauseMs(err, message) });
  }
}

/** Null if it is not tried again. */
function toPauseMs(err: unknown, { attempts }: ApprovalMessage): number | null {
  if (err instanceof ChatUndeliverable || attempts + 1 >= attemptsMax) return null;
  if (err instanceof ChatRetryLater) {
    return Math.min(Math.max(Math.ceil(err.retryAfterMs), retryMsMin), retryAfterMsMax);
  }
  return Math.min(retryMsMin * 2 ** Math.min(attempts, 20), retryMsMax);
}

async function makeCard(
  { db, readBaseUrl, now }: SendDeps,
  approval: ApprovalRecord,
  { id, userId }: ApprovalMessage,
): Promise<ApprovalCard> {
  const workflow = await findWorkflow(db, approval.workflowId);
  const shown = await presentApproval(db, approval, {
    workflow: workflow ?? { id: approval.workflowId, name: approval.workflowId },
    ...{ at: now(), userId, isLocal: false, isApprover: true },
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
  const wanted = message.place?.rowId ?? (await findLinkedRow(db, message));
  const row =
    rows.find(({ id }) => id === wanted) ??
    // Messages can be changed only by the bot that sent them.
    (message.place === null
      ? rows.find(({ id }) => accounts.get(id)?.teamId === message.teamId)
      : undefined);
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
  row.connectorKey === kind &&
  row.slug !== null &&
  !row.disabled &&
  !directory.isTypeDisabled(kind);
