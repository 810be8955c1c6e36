import { isApprovalButton, readButtonName } from "../../approvals/approval-buttons.ts";
import type { ButtonClick, ChatEnvelope, ChatEvent } from "../../chat-adapter.ts";
import { findCommand, toButtonPayload, toCommandPayload } from "./command.ts";
import { toUserName } from "./shared-payload.ts";
import { toMessagePayload, toSender } from "./telegram-message.ts";
import type { TelegramCallbackQuery, TelegramMessage, TelegramUpdate } from "./update.ts";

/** The account in whose name Telegram sends what administrators post anonymously, or channels. */
const standIns = new Set([1_087_968_824, 136_817_688, 777_000]);

/** One update as an envelope. It has no events if it is of a kind that the hub has no event for. */
export function readUpdate(
  update: TelegramUpdate,
  bot: { id: string; name: string | null },
): ChatEnvelope {
  const nothing: ChatEnvelope = {
    id: String(update.update_id),
    events: [],
    from: "person",
    sender: null,
    direct: null,
  };
  if (update.callback_query !== undefined) {
    if (isApprovalButton(update.callback_query.data ?? ""))
      return readClick(nothing, update.callback_query);
    const payload = toButtonPayload(update.callback_query);
    if (payload === null) return nothing;
    const sender = { teamId: null, userId: payload.user, userName: payload.user_name };
    return { ...nothing, events: [{ event: "command", payload }], sender };
  }
  const message =
    update.message ?? update.edited_message ?? update.channel_post ?? update.edited_channel_post;
  if (message === undefined) return nothing;
  return { ...nothing, ...readMessage(message, bot) };
}

/** The button of a question for an approval: `hub_approval:<decision>:<id>`. A client can send any data. */
function readClick(nothing: ChatEnvelope, query: TelegramCallbackQuery): ChatEnvelope {
  const { data = "", message, from } = query;
  const end = data.lastIndexOf(":");
  const decision = readButtonName(data.slice(0, end));
  if (decision === null) return nothing;
  const click: ButtonClick = {
    decision,
    id: data.slice(end + 1),
    answerTo: query.id,
    channelId: message === undefined ? null : String(message.chat.id),
    ts: message === undefined ? null : String(message.message_id),
  };
  const sender = { teamId: null, userId: String(from.id), userName: toUserName(from) };
  return { ...nothing, from: from.is_bot ? "bot" : "person", sender, click };
}

function readMessage(
  message: TelegramMessage,
  bot: { id: string; name: string | null },
): Omit<ChatEnvelope, "id"> {
  const { from, chat, text } = message;
  const sender = toSender(message);
  const isPerson = from !== undefined && !from.is_bot && message.sender_chat === undefined;
  const isBot = from?.is_bot === true && !standIns.has(from.id);
  const isNew = message.edit_date === undefined;
  const isDirect = isPerson && isNew && chat.type === "private" && text !== undefined;
  return {
    events: toEvents(message, bot.name, sender),
    from: from !== undefined && String(from.id) === bot.id ? "self" : isBot ? "bot" : "person",
    sender: isPerson && sender ? { teamId: null, userId: sender.id, userName: sender.name } : null,
    direct: isDirect ? { channelId: String(chat.id), text } : null,
  };
}

function toEvents(
  message: TelegramMessage,
  botName: string | null,
  given: { id: string; name: string | null } | null,
): ChatEvent[] {
  // A channel's post without a sender was sent by the channel.
  const sender = given ?? { id: String(message.chat.id), name: message.chat.title ?? null };
  const command = findCommand(message, botName);
  if (command === null) {
    const payload = toMessagePayload(message, sender);
    return payload === null ? [] : [{ event: "message", payload }];
  }
  // A command is carried out once, and by the bot that it names.
  if (command.isForOther || message.edit_date !== undefined) return [];
  return [{ event: "command", payload: toCommandPayload(message, command, sender) }];
}
