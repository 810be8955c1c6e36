import { approvalButtons } from "../approvals/approval-buttons.ts";
import {
  type ApprovalCard,
  type CardPart,
  type ChatApprovals,
  ChatRetryLater,
  ChatUndeliverable,
  type OpenChannel,
} from "../chat-adapter.ts";
import type { FormattedText } from "./format/parse-markdown.ts";
import { splitText } from "./format/split-text.ts";
import { openTelegram, TelegramError } from "./telegram-client.ts";

/** Questions for approvals with an inline keyboard. */
export const telegramApprovals: ChatApprovals = {
  async ask(channel, userId, card) {
    const client = await open(channel);
    try {
      const { text, ...options } = toContent(card);
      const sent = await client.call((api) => api.sendMessage(userId, text, options));
      return { channelId: String(sent.chat.id), ts: String(sent.message_id) };
    } catch (thrown) {
      throw toFailure(thrown);
    }
  },
  async end(channel, { channelId, ts }, card) {
    const client = await open(channel);
    try {
      const { text, ...options } = toContent(card);
      await client.call((api) => api.editMessageText(channelId, Number(ts), text, options));
    } catch (thrown) {
      const isGone = thrown instanceof TelegramError && gone.test(thrown.description);
      if (!isGone) throw toFailure(thrown);
    }
  },
  async answerClick(channel, { answerTo, decision }, refusal) {
    if (answerTo === null) return;
    const client = await open(channel);
    const done = decision === "approved" ? "Approved." : "Denied.";
    const text = cut(refusal ?? done, answerCharsMax);
    await client.call((api) =>
      api.answerCallbackQuery(answerTo, { text, show_alert: refusal !== null }),
    );
  },
};

/** Of the notice to someone who pressed a button. */
const answerCharsMax = 200;

/** The change was made before, or there is nothing left to change. */
const gone =
  /not modified|message to edit not found|message can't be edited|chat not found|bot was blocked/;

function open({ config, fetch }: OpenChannel) {
  return openTelegram({ token: String(config.Token), baseUrl: String(config.BaseURL), fetch });
}

function toFailure(thrown: unknown): unknown {
  if (!(thrown instanceof TelegramError)) return thrown;
  const { code, description, retryAfterS } = thrown;
  if (code === 429) {
    return new ChatRetryLater(
      `Telegram asks to wait ${retryAfterS ?? 1} s.`,
      (retryAfterS ?? 1) * 1_000,
    );
  }
  const text = `Telegram says: ${description}`;
  const isUnreachable = code === 403 || (code === 400 && /chat not found/.test(description));
  if (isUnreachable) {
    return new ChatUndeliverable(`${text}. The user must start the bot, and not block it.`);
  }
  return new Error(text);
}

/** Styles stand beside the text, so nothing in it is markup. Telegram shows addresses in it as links. */
function toContent({ heading, parts, isOpen, id, url }: ApprovalCard) {
  const draft: FormattedText = { text: "", entities: [] };
  add(draft, heading, "bold");
  for (const part of parts) {
    add(draft, "\n\n");
    addPart(draft, part);
  }
  if (url !== null) add(draft, `\n\n${url}`);
  // The texts of a card are cut. Only a very long address of the hub does not fit.
  const [first = draft] = splitText(draft);
  const buttons = approvalButtons.map(({ label, name }) => ({
    text: label,
    callback_data: `${name}:${id}`,
  }));
  return {
    ...first,
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: isOpen ? [buttons] : [] },
  };
}

function addPart(draft: FormattedText, part: CardPart): void {
  switch (part.kind) {
    case "facts":
      for (const [at, [name, value]] of part.facts.entries()) {
        if (at > 0) add(draft, "\n");
        add(draft, `${name}:`, "bold");
        add(draft, ` ${value}`);
      }
      break;
    case "quote":
      add(draft, `${part.name}:`, "bold");
      add(draft, "\n");
      add(draft, part.text, "blockquote");
      break;
    case "note":
      add(draft, part.text);
      break;
  }
}

function add(draft: FormattedText, text: string, type?: "bold" | "blockquote"): void {
  const offset = draft.text.length;
  if (type !== undefined) draft.entities.push({ type, offset, length: text.length });
  draft.text += text;
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  // No half of a surrogate pair at the end.
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
