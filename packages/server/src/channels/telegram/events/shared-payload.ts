import { z } from "zod";
import type { TelegramChat, TelegramUser } from "./update.ts";

/** The members that all events have. Ids are texts, as on other platforms. */
export const sharedPayload = {
  user: z.string().describe("The id of the user, or of the channel that posted."),
  user_name: z.string().nullable().describe("The name that the chat shows."),
  text: z.string(),
  channel_id: z.string().describe("The id of the chat. Groups and channels have negative ids."),
  channel_type: z.enum(["private", "group", "supergroup", "channel"]),
  channel_name: z.string().nullable(),
  thread_ts: z
    .string()
    .describe("The thread to answer in: a topic or a replied message, else the message itself."),
  ts: z.string().describe("The id of the message in its chat, for reply and edit_message."),
  is_dm: z.boolean().describe("Whether the message was sent to the bot alone."),
};

export function toChannelPayload(chat: TelegramChat) {
  return {
    channel_id: String(chat.id),
    channel_type: chat.type,
    channel_name: chat.title ?? toPersonName(chat) ?? chat.username ?? null,
    is_dm: chat.type === "private",
  };
}

export function toUserName(user: TelegramUser): string {
  return toPersonName(user) ?? user.first_name;
}

function toPersonName(person: {
  first_name?: string | undefined;
  last_name?: string | undefined;
}): string | null {
  const names = [person.first_name, person.last_name].filter((name) => name !== undefined);
  return names.length === 0 ? null : names.join(" ");
}

/** A topic or thread, else the message that is replied to, else the message itself. */
export function toThreadTs(message: {
  message_id: number;
  message_thread_id?: number | undefined;
  reply_to_message?: { message_id: number } | undefined;
}): string {
  const { message_thread_id: thread, reply_to_message: replied } = message;
  return String(thread ?? replied?.message_id ?? message.message_id);
}
