import { HubError } from "../../errors.ts";
import { findLinkedUser } from "../../identity/find-linked-user.ts";
import { type DecideDeps, decidePendingCall } from "../../services/pending/decide-pending-call.ts";
import { findApprovalMessage } from "../../store/channels/approval-messages.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { decideApproval } from "../../workflows/approvals/decide-approval.ts";
import type { ApprovalDeps } from "../../workflows/approvals/list-approvals.ts";
import { isUnavailable } from "../../workflows/engine/claim/wait-for-database.ts";
import type { ButtonClick, ChatEnvelope } from "../chat-adapter.ts";

type ClickDeps = ApprovalDeps & DecideDeps & { readBaseUrl(): string | null };

/**
 * Decides an approval or a call for the person who clicked a button of its message. Returns why nothing was
 * decided, in words for that person, or null. Throws if the database is away, so that the platform
 * delivers the click again.
 */
export async function handleClick(
  deps: ClickDeps,
  channel: { rowId: string; kind: string },
  { sender, from }: Pick<ChatEnvelope, "sender" | "from">,
  click: ButtonClick,
): Promise<string | null> {
  const { db } = deps.store;
  const hub = deps.readBaseUrl() ?? "the hub";
  const message = isUuid(click.id) ? await findApprovalMessage(db, click.id) : null;
  // The platform shows the message before the hub has recorded its location.
  if (message?.kind === channel.kind && message.location === null) {
    return "The hub has not recorded this message yet. Click the button again.";
  }
  const isOurs =
    message !== null &&
    message.kind === channel.kind &&
    message.location?.rowId === channel.rowId &&
    message.location.channelId === click.channelId &&
    message.location.ts === click.ts;
  // Forwarded, copied or forged: the button is not in the message that the hub sent.
  if (!isOurs) {
    return `This button is not valid. Use the newest message of the bot, or open ${hub}/approvals.`;
  }
  const { about, subjectId } = message;
  const page = `${hub}/approvals/${about === "call" ? "calls/" : ""}${subjectId}`;
  const isAddressee =
    from === "person" &&
    sender !== null &&
    sender.teamId === message.teamId &&
    sender.userId === message.accountId;
  if (!isAddressee) return `This question was sent to another person. Open ${page}.`;
  const { kind, teamId, accountId } = message;
  const userId = await findLinkedUser({ db }, { kind, teamId, accountId });
  const user = userId === null ? null : await findUserById(db, userId);
  if (user === null) {
    return `This chat account belongs to no active user of the hub. Link it at ${hub}/profile/chat-accounts, or ask an admin.`;
  }
  const actor = {
    userId: user.id,
    email: user.email,
    tokenId: null,
    via: "chat",
    ip: null,
  } as const;
  try {
    const decided = { id: subjectId, decision: click.decision, hash: message.hash };
    if (about === "call") await decidePendingCall(deps, actor, decided);
    else await decideApproval(deps, actor, decided);
    return null;
  } catch (err) {
    if (!(err instanceof HubError) || isUnavailable(err) || err.code === "internal") throw err;
    return `${err.message} See ${page}.`;
  }
}

const isUuid = (text: string) => /^[0-9a-f-]{36}$/.test(text);
