import { type Decision, toPressName } from "../approvals/press-id.ts";
import {
  type ApprovalCard,
  type ChatApprovals,
  ChatRetryLater,
  ChatUndeliverable,
  type OpenChannel,
} from "../chat-adapter.ts";
import { messageCharsMax } from "./format/split-text.ts";
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
  async answerPress(channel, { answerTo, decision }, refusal) {
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

/** A plain text: nothing in the words of others is markup. Telegram shows addresses in it as links. */
function toContent({ title, facts, details, willRun, isCut, outcome, id, url }: ApprovalCard) {
  const parts = [
    title,
    facts.map(([name, value]) => `${name}: ${value}`).join("\n"),
    details,
    `What will run:\n${willRun}`,
    isCut ? "This is a part. Read all of it in the hub before you decide." : "",
    outcome ?? "",
    url ?? "",
  ];
  const text = cut(parts.filter((part) => part !== "").join("\n\n"), messageCharsMax);
  return {
    text,
    entities: [{ type: "bold" as const, offset: 0, length: title.length }],
    link_preview_options: { is_disabled: true },
    reply_markup: {
      inline_keyboard: outcome === null ? [[toButton("approved", id), toButton("denied", id)]] : [],
    },
  };
}

const toButton = (decision: Decision, id: string) => ({
  text: decision === "approved" ? "Approve" : "Deny",
  callback_data: `${toPressName(decision)}:${id}`,
});

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  // No half of a surrogate pair at the end.
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
