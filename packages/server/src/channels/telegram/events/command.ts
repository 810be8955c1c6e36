import { z } from "zod";
import { defineChatEvent } from "../../../workflows/channels/chat-event-type.ts";
import { sharedPayload, toChannelPayload, toThreadTs, toUserName } from "./shared-payload.ts";
import type { TelegramCallbackQuery, TelegramMessage } from "./update.ts";

const payload = z.strictObject({
  ...sharedPayload,
  command: z.string().describe("With its slash and without the bot's name, such as /deploy."),
  text: z.string().describe("What follows the command."),
  callback_id: z
    .string()
    .nullable()
    .describe("Set if a button was pressed, for answer_callback. Then ts is the button's message."),
});

export type CommandPayload = z.output<typeof payload>;

export const commandEvent = defineChatEvent({
  id: "command",
  name: "Command",
  description:
    "A command for this bot at the start of a message, such as /deploy web, or a pressed button of a message that send_message, reply or edit_message wrote.",
  filters: ["command", "channel_ids", "users", "text_contains"],
  pickers: { channel_ids: "telegram.chats", users: "telegram.users" },
  payload,
  sample: {
    user: "5000000001",
    user_name: "Ada Lovelace",
    command: "/deploy",
    text: "web",
    channel_id: "5000000001",
    channel_type: "private",
    channel_name: "Ada Lovelace",
    thread_ts: "42",
    ts: "42",
    is_dm: true,
    callback_id: null,
  },
});

export type FoundCommand = { command: string; text: string; isForOther: boolean };

/** Null if the message does not begin with a command. */
export function findCommand(message: TelegramMessage, botName: string | null): FoundCommand | null {
  const { text = "", entities = [] } = message;
  const entity = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  if (entity === undefined) return null;
  const [command = "", name] = text.slice(0, entity.length).split("@");
  const isNamed = name !== undefined && botName !== null;
  const isForOther = isNamed && name.toLowerCase() !== botName.toLowerCase();
  return { command, text: text.slice(entity.length).trim(), isForOther };
}

export function toCommandPayload(
  message: TelegramMessage,
  found: FoundCommand,
  sender: { id: string; name: string | null },
): CommandPayload {
  return {
    user: sender.id,
    user_name: sender.name,
    command: found.command,
    text: found.text,
    ...toChannelPayload(message.chat),
    thread_ts: toThreadTs(message),
    ts: String(message.message_id),
    callback_id: null,
  };
}

/** A pressed button is a command, too: its data is `/command text`. Null for buttons elsewhere. */
export function toButtonPayload(query: TelegramCallbackQuery): CommandPayload | null {
  const { message, data } = query;
  if (message === undefined || data === undefined) return null;
  const [, word = "", text = ""] = /^\/?(\S+)\s*(.*)$/s.exec(data.trim()) ?? [];
  if (word === "") return null;
  return {
    user: String(query.from.id),
    user_name: toUserName(query.from),
    command: `/${word}`,
    text,
    ...toChannelPayload(message.chat),
    thread_ts: toThreadTs(message),
    ts: String(message.message_id),
    callback_id: query.id,
  };
}
