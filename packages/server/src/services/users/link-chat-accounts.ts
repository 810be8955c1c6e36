import type { ChatAccount, ChatLink, CreatedChatLink } from "@hub/contract/chat-account.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { createLinkCode } from "../../identity/link-code.ts";
import {
  type ChatAccountRecord,
  deleteChatAccount,
  findChatAccount,
  insertChatAccount,
  listChatAccounts as listStoredAccounts,
} from "../../store/channels/chat-accounts-table.ts";
import {
  type ChatLinkRecord,
  deleteChatLink,
  findChatLinkOf,
  insertChatLink,
} from "../../store/channels/chat-links.ts";
import { transaction } from "../../store/database/database.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "./load-user.ts";

type ChatAccountDeps = Pick<ServiceDeps, "store" | "now">;

/** The browser in which a user links a chat account. */
export type LinkingBrowser = { userId: string; sessionId: string };

const linkMs = 10 * 60_000;
const accountsMax = 20;

/** A user's linked chat accounts, oldest first. */
export async function listChatAccounts(
  { store }: Pick<ChatAccountDeps, "store">,
  userId: string,
): Promise<ChatAccount[]> {
  const { id } = await loadUser(store.db, userId);
  return (await listStoredAccounts(store.db, id)).map(toChatAccount);
}

/** The link that was begun in this browser and is not finished. */
export async function showChatLink(
  { store, now }: ChatAccountDeps,
  browser: LinkingBrowser,
): Promise<ChatLink | null> {
  const link = await findChatLinkOf(store.db, { ...browser, at: now() });
  if (link === null) return null;
  const row = link.claimant === null ? null : await findRow(store.db, link.claimant.rowId);
  return toChatLink(link, row?.label ?? "");
}

/** Begins a link in the place of the user's former one. The code is returned only here. */
export async function beginChatLink(
  { store, now }: ChatAccountDeps,
  { userId, sessionId }: LinkingBrowser,
): Promise<CreatedChatLink> {
  const at = now();
  const { code, codeHash } = createLinkCode();
  const link = { id: crypto.randomUUID(), userId, sessionId, expiresAt: at + linkMs };
  await transaction(store.db, async (trx) => {
    if ((await listStoredAccounts(trx, userId)).length >= accountsMax) {
      throw new HubError(
        "conflict",
        `You have ${accountsMax} linked chat accounts, which is the limit. Unlink one of them first.`,
      );
    }
    await insertChatLink(trx, { ...link, codeHash }, at);
  });
  return { ...toChatLink({ ...link, claimant: null, isConfirmed: false }, ""), code };
}

/** Finishes a link. Its chat account must have answered yes. */
export async function confirmChatLink(
  { store, now }: ChatAccountDeps,
  actor: Actor,
  linkId: string,
  browser: LinkingBrowser,
): Promise<ChatAccount> {
  const at = now();
  const stamp = stampChange(actor, at);
  const id = crypto.randomUUID();
  return await transaction(store.db, async (trx) => {
    const link = await findChatLinkOf(trx, { ...browser, at });
    if (link === null || link.id !== linkId.toLowerCase()) throw refuseLink();
    const { claimant } = link;
    if (claimant === null || !link.isConfirmed) {
      throw new HubError("conflict", "Answer yes to the bot first. Then confirm here.");
    }
    if ((await findChatAccount(trx, claimant)) !== null) {
      throw new HubError("conflict", "This chat account is linked to a user already.");
    }
    const account = { ...claimant, id, userId: browser.userId, createdAt: at };
    await deleteChatLink(trx, link.id);
    await insertChatAccount(trx, account);
    const { email } = await loadUser(trx, browser.userId);
    const change = { action: "chat_account.link", kind: "chat_account", id } as const;
    await recordChange(trx, stamp, {
      ...change,
      name: toAccountName(account),
      detail: { user: email, ...toIdentityDetail(account) },
    });
    return toChatAccount(account);
  });
}

/** Ends a link before it is confirmed. Its code is no longer valid. */
export async function cancelChatLink(
  { store, now }: ChatAccountDeps,
  linkId: string,
  browser: LinkingBrowser,
): Promise<{ id: string }> {
  const at = now();
  return await transaction(store.db, async (trx) => {
    const link = await findChatLinkOf(trx, { ...browser, at });
    if (link === null || link.id !== linkId.toLowerCase()) throw refuseLink();
    await deleteChatLink(trx, link.id);
    return { id: link.id };
  });
}

/** Unlinks a user's chat account: its next message is of no user. */
export async function unlinkChatAccount(
  { store, now }: ChatAccountDeps,
  actor: Actor,
  userId: string,
  accountId: string,
): Promise<ChatAccount> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id: ownerId, email } = await loadUser(trx, userId);
    const accounts = await listStoredAccounts(trx, ownerId);
    const account = accounts.find(({ id }) => id === accountId.toLowerCase());
    if (account === undefined) {
      throw new HubError("not_found", `${email} has no such linked chat account.`);
    }
    await deleteChatAccount(trx, account.id);
    await recordChange(trx, stamp, {
      action: "chat_account.unlink",
      kind: "chat_account",
      id: account.id,
      name: toAccountName(account),
      detail: { user: email, ...toIdentityDetail(account) },
    });
    return toChatAccount(account);
  });
}

function refuseLink(): HubError {
  return new HubError(
    "not_found",
    "There is no such link in this browser. It may have expired. Make a new code.",
  );
}

/** The name that users see, such as "ada (Acme)". */
function toAccountName({ accountName, accountId, teamName }: ChatAccountRecord): string {
  const name = accountName ?? accountId;
  return teamName === null ? name : `${name} (${teamName})`;
}

function toIdentityDetail({ kind, teamId, accountId }: ChatAccountRecord) {
  return { kind, team_id: teamId, account_id: accountId };
}

function toChatAccount(account: ChatAccountRecord): ChatAccount {
  const { id, createdAt } = account;
  return { id, ...toShownIdentity(account), linked_at: toTimeText(createdAt) };
}

function toChatLink(link: Omit<ChatLinkRecord, "userId">, channel: string): ChatLink {
  const { id, claimant } = link;
  return {
    id,
    expires_at: toTimeText(link.expiresAt),
    claimed_by: claimant === null ? null : { ...toShownIdentity(claimant), channel },
    confirmed_in_chat: link.isConfirmed,
  };
}

function toShownIdentity(
  account: Omit<ChatAccountRecord, "id" | "userId" | "createdAt" | "rowId">,
) {
  return {
    kind: account.kind,
    team_id: account.teamId,
    team_name: account.teamName,
    account_id: account.accountId,
    account_name: account.accountName,
  };
}
