import { createHash } from "node:crypto";
import { readLinkCode } from "../../identity/link-code.ts";
import { isActive } from "../../identity/to-caller.ts";
import { stripInvisible } from "../../lib/text/strip-invisible.ts";
import { type ChatIdentity, findChatAccount } from "../../store/channels/chat-accounts-table.ts";
import {
  claimChatLink,
  confirmChatLink,
  countLinkTry,
  deleteChatLink,
  findChatLinkByCode,
  findClaimedLink,
  findLinkTries,
} from "../../store/channels/chat-links.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import type { ChatAccount, ChatEnvelope } from "../chat-adapter.ts";

/** How long tries count. */
const triesMs = 10 * 60_000;
/** Invalid codes of one account. */
const accountTriesMax = 5;
/**
 * Invalid codes of all accounts of a channel. After that, each account has one try, so that a crowd
 * of accounts cannot guess. Others can still link.
 */
const channelTriesMax = 100;
/** How long a platform may deliver an answer again. */
const redeliveryMs = 24 * 60 * 60_000;
const nameCharsMax = 100;

type Channel = { rowId: string; kind: string };

type TakeDeps = {
  db: Db;
  now(): number;
  /** The bot's own account; null before the first connection. */
  findAccount(rowId: string): Promise<ChatAccount | null>;
  /** Sends an answer as the bot. */
  answer(message: { channelId: string; text: string }): void;
  baseUrl: string | null;
};

/**
 * Takes a text that a person sent to the bot alone, if it is a code or the answer to the question
 * that followed one. True if it is; then it must start no run and be stored nowhere.
 */
export async function takeDirect(
  deps: TakeDeps,
  channel: Channel,
  { id, direct, sender, from }: Pick<ChatEnvelope, "id" | "direct" | "sender" | "from">,
): Promise<boolean> {
  if (direct === null || sender === null || from !== "person") return false;
  const { teamId, userId: accountId } = sender;
  const identity = { kind: channel.kind, teamId, accountId };
  if (!isStorable(identity)) return false;
  const codeHash = readLinkCode(direct.text);
  const answer = codeHash === null ? readAnswer(direct.text) : null;
  const text =
    codeHash !== null
      ? await claim(deps, channel, { identity, codeHash, userName: sender.userName })
      : answer !== null
        ? await decide(deps, channel, { identity, answer, envelopeId: id })
        : notForUs;
  if (text === notForUs) return false;
  if (text !== null) deps.answer({ channelId: direct.channelId, text });
  return true;
}

const notForUs = Symbol("not for the linking");

/** The same for codes that never existed, have expired, were used or belong to a disabled user. */
const invalidText =
  "This code is not valid. A code works once and for 10 minutes. Make a new one on the page Chat accounts of the hub.";
const linkedText =
  "This chat account is already linked. To link it anew, unlink it first on the page Chat accounts of the hub, or ask an admin.";

/** The bot's answer; null for none, so that a flood is not answered with a flood. */
async function claim(
  { db, now, findAccount, baseUrl }: TakeDeps,
  { rowId }: Channel,
  sent: { identity: ChatIdentity; codeHash: Uint8Array; userName: string | null },
): Promise<string | null> {
  const { identity, codeHash } = sent;
  const account = await findAccount(rowId);
  const teamName = account?.teamId === identity.teamId ? toName(account.teamName) : null;
  const claimant = { ...identity, rowId, accountName: toName(sent.userName), teamName };
  const at = now();
  return await transaction(db, async (trx) => {
    const tries = await readTries(trx, claimant, at);
    if (tries.isOver) return null;
    if ((await findChatAccount(trx, identity)) !== null) {
      await tries.count();
      return linkedText;
    }
    const link = await findChatLinkByCode(trx, { codeHash, at });
    const isFree = link?.claimant === null;
    // The platform may deliver the code twice.
    const isAgain = !!link?.claimant && isSame(link.claimant, claimant);
    if (link === null || !isActive(link) || !(isFree || isAgain)) {
      await tries.count();
      return invalidText;
    }
    if (isFree) await claimChatLink(trx, link.id, claimant);
    const hub = baseUrl === null ? "the hub" : `the hub ${baseUrl}`;
    return `Link this chat account to ${link.email} at ${hub}? Answer yes or no. Answer no if this is not your user: approvals from this chat account would count as that user's.`;
  });
}

async function decide(
  { db, now }: TakeDeps,
  { rowId }: Channel,
  given: { identity: ChatIdentity; answer: "yes" | "no"; envelopeId: string },
): Promise<string | null | typeof notForUs> {
  const { identity, answer, envelopeId } = given;
  const at = now();
  const key = `answer:${hash([rowId, envelopeId])}`;
  return await transaction(db, async (trx) => {
    const link = await findClaimedLink(trx, { ...identity, rowId, at });
    if (link === null) {
      // Delivered again after it has ended the linking, it is still no message for workflows.
      const taken = await findLinkTries(trx, { keys: [key], at });
      return taken.has(key) ? null : notForUs;
    }
    await countLinkTry(trx, { key, at, expiresAt: at + redeliveryMs });
    if (answer === "no") {
      await deleteChatLink(trx, link.id);
      return "Nothing is linked. The code is no longer valid.";
    }
    await confirmChatLink(trx, link.id);
    return "Now confirm on the page Chat accounts of the hub, in the browser that showed the code. Nothing is linked before.";
  });
}

async function readTries(trx: Transaction, given: ChatIdentity & { rowId: string }, at: number) {
  const { kind, teamId, accountId, rowId } = given;
  const accountKey = `account:${hash([kind, teamId, accountId])}`;
  const channelKey = `channel:${rowId}`;
  const found = await findLinkTries(trx, { keys: [accountKey, channelKey], at });
  const ofAccount = found.get(accountKey) ?? 0;
  const isCrowded = (found.get(channelKey) ?? 0) >= channelTriesMax;
  return {
    isOver: ofAccount >= (isCrowded ? 1 : accountTriesMax),
    async count() {
      for (const key of [accountKey, channelKey]) {
        await countLinkTry(trx, { key, at, expiresAt: at + triesMs });
      }
    },
  };
}

const hash = (parts: readonly (string | null)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");

function isSame(one: ChatIdentity & { rowId: string }, other: ChatIdentity & { rowId: string }) {
  return (
    one.kind === other.kind &&
    one.teamId === other.teamId &&
    one.accountId === other.accountId &&
    one.rowId === other.rowId
  );
}

/** Answers of one word only, because other texts are for workflows. */
function readAnswer(text: string): "yes" | "no" | null {
  const word = text.length > 10 ? "" : text.trim().toLowerCase().replace(/[.!]$/, "");
  return word === "yes" || word === "no" ? word : null;
}

/** Platforms give short ids. Others would be stored in part, and then be another's. */
function isStorable({ teamId, accountId }: ChatIdentity): boolean {
  return [teamId ?? "none", accountId].every((id) => /^[\x21-\x7e]{1,200}$/.test(id));
}

/** A name that people choose themselves, for one line of a page. */
function toName(name: string | null): string | null {
  const plain = stripInvisible(name ?? "").trim();
  return plain === ""
    ? null
    : [...plain.slice(0, 2 * nameCharsMax)].slice(0, nameCharsMax).join("");
}
