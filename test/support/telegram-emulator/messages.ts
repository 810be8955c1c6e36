import { ApiError, badRequest, forbidden } from "./api-error.ts";
import type { Bot } from "./bot.ts";
import type { Chat } from "./chat.ts";
import type { MethodParams } from "./parameters.ts";
import { parseText } from "./text-entities.ts";
import type { InlineKeyboard, Message } from "./types.ts";
import type { World } from "./world.ts";

/** Sends a message of a bot. */
export function sendMessage(world: World, bot: Bot, params: MethodParams<"sendMessage">): Message {
  const chat = openForSending(world, bot, params.chat_id);
  const formatted = parseText(params.text, {
    ...(params.parse_mode !== undefined && { parseMode: params.parse_mode }),
    ...(params.entities !== undefined && { given: withoutUndefined(params.entities) }),
  });
  const topic = params.message_thread_id;
  if (topic !== undefined) checkTopic(chat, topic);
  const reply = params.reply_parameters && toReply(chat, params.reply_parameters, topic);
  const markup = params.reply_markup;
  const keyboard =
    markup !== undefined && "inline_keyboard" in markup ? checkKeyboard(markup) : null;
  if (markup !== undefined && keyboard === null && chat.info.type === "channel")
    throw badRequest("reply keyboards are not supported in channels");
  return chat.add({
    ...(chat.info.type === "channel" ? { sender_chat: chat.info } : { from: bot.user }),
    ...reply,
    ...(topic !== undefined && { message_thread_id: topic, is_topic_message: true as const }),
    ...formatted,
    ...(keyboard !== null && { reply_markup: keyboard }),
    ...(params.protect_content === true && { has_protected_content: true }),
  });
}

/** Edits a text or a keyboard. Without `reply_markup` the keyboard goes. */
export function editMessage(
  world: World,
  bot: Bot,
  params: MethodParams<"editMessageText"> | MethodParams<"editMessageReplyMarkup">,
): Message {
  const chat = openForSending(world, bot, params.chat_id);
  const message = chat.messages.get(params.message_id);
  if (message === undefined) throw badRequest("message to edit not found");
  if (message.from?.id !== bot.id && chat.info.type !== "channel")
    throw badRequest("message can't be edited");
  const formatted =
    "text" in params
      ? parseText(params.text, {
          ...(params.parse_mode !== undefined && { parseMode: params.parse_mode }),
          ...(params.entities !== undefined && { given: withoutUndefined(params.entities) }),
        })
      : { text: message.text ?? "", ...(message.entities && { entities: message.entities }) };
  const keyboard = params.reply_markup === undefined ? null : checkKeyboard(params.reply_markup);
  const before = [message.text, message.entities, message.reply_markup];
  const after = [formatted.text, formatted.entities, keyboard ?? undefined];
  if (Bun.deepEquals(before, after))
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  const { entities: _, reply_markup: __, ...kept } = message;
  const edited: Message = {
    ...kept,
    ...formatted,
    ...(keyboard !== null && { reply_markup: keyboard }),
    edit_date: Math.floor(chat.now() / 1000),
  };
  chat.messages.set(edited.message_id, edited);
  return edited;
}

/** The chat, if the bot may write there. */
export function openForSending(world: World, bot: Bot, chatId: number | string): Chat {
  const chat = findChat(world, bot, chatId);
  const { type } = chat.info;
  if (chat.migratedTo !== null)
    throw new ApiError(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: chat.migratedTo.id,
    });
  const status = chat.bots.get(bot.id);
  if (type === "private") {
    if (status === "kicked") throw forbidden("bot was blocked by the user");
    return chat;
  }
  if (status === "kicked") throw forbidden(`bot was kicked from the ${chat.noun}`);
  if (status === undefined || status === "left")
    throw forbidden(`bot is not a member of the ${chat.noun}`);
  if (type === "channel" && status !== "administrator")
    throw badRequest("need administrator rights in the channel chat");
  return chat;
}

export function findChat(world: World, bot: Bot, chatId: number | string): Chat {
  const isName = typeof chatId === "string" && chatId.startsWith("@");
  const chat = isName ? world.findNamedChat(chatId.slice(1)) : world.findChat(bot, Number(chatId));
  if (chat !== null) return chat;
  if (!isName && world.users.has(Number(chatId)))
    throw forbidden("bot can't initiate conversation with a user");
  throw badRequest("chat not found");
}

function checkTopic(chat: Chat, thread: number): void {
  const topic = chat.topics.get(thread);
  if (topic === undefined) throw badRequest("message thread not found");
  if (topic.isClosed) throw badRequest("TOPIC_CLOSED");
}

function toReply(
  chat: Chat,
  reply: NonNullable<MethodParams<"sendMessage">["reply_parameters"]>,
  topic: number | undefined,
): Partial<Message> {
  if (reply.chat_id !== undefined && Number(reply.chat_id) !== chat.id)
    throw badRequest("replies to other chats are not in this emulator");
  const target = chat.messages.get(reply.message_id);
  if (target === undefined) {
    if (reply.allow_sending_without_reply === true) return {};
    throw badRequest("message to be replied not found");
  }
  if (reply.quote !== undefined && !(target.text ?? "").includes(reply.quote))
    throw badRequest("QUOTE_TEXT_INVALID");
  return chat.toReply(target, topic ?? topicOf(target));
}

const topicOf = (message: Message) =>
  message.is_topic_message === true ? message.message_thread_id : undefined;

function checkKeyboard(markup: {
  inline_keyboard: {
    text: string;
    callback_data?: string | undefined;
    url?: string | undefined;
  }[][];
}): InlineKeyboard {
  const buttons = markup.inline_keyboard.flat();
  if (buttons.length > 100) throw badRequest("REPLY_MARKUP_TOO_LONG");
  for (const { text, callback_data: data, url } of buttons) {
    if (text.trim() === "") throw badRequest("BUTTON_TEXT_INVALID");
    if (data === undefined && url === undefined)
      throw badRequest(
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
      );
    if (data !== undefined && url !== undefined) throw badRequest("BUTTON_TYPE_INVALID");
    if (data !== undefined && (data === "" || Buffer.byteLength(data) > 64))
      throw badRequest("BUTTON_DATA_INVALID");
    if (url !== undefined && (!/^(https?|tg):\/\//.test(url) || !URL.canParse(url)))
      throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
  }
  return {
    inline_keyboard: markup.inline_keyboard.map((row) => row.map(withoutUndefinedMembers)),
  };
}

function withoutUndefinedMembers<T extends object>(value: T) {
  // Safe: members that are undefined are left out, and no others.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [key in keyof T]: Exclude<T[key], undefined>;
  };
}

const withoutUndefined = <T extends object>(values: readonly T[]) =>
  values.map(withoutUndefinedMembers);
