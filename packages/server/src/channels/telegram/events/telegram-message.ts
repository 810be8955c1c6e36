import { z } from "zod";
import { defineChatEvent } from "../../../workflows/channels/chat-event-type.ts";
import { sharedPayload, toChannelPayload, toThreadTs, toUserName } from "./shared-payload.ts";
import type { TelegramMessage } from "./update.ts";

const fileKinds = [
  "photo",
  "document",
  "audio",
  "video",
  "video_note",
  "voice",
  "animation",
  "sticker",
] as const;

const payload = z.strictObject({
  ...sharedPayload,
  text: z.string().describe("The text, or the caption of a file."),
  sent_at: z.string().describe("ISO 8601, in UTC."),
  is_reply: z.boolean().describe("Whether it is in a thread that began with another message."),
  is_edited: z.boolean(),
  files: z.array(
    z.strictObject({
      kind: z.enum(fileKinds),
      id: z.string().describe("The file_id of the Bot API."),
      name: z.string().nullable(),
      mimetype: z.string().nullable(),
      size: z.number().nullable(),
    }),
  ),
});

export const messageEvent = defineChatEvent({
  id: "message",
  name: "Message",
  description:
    "A text or a file in a chat with the bot, in a group where the bot may read it, or in a channel where it is an administrator. Commands are not messages. In groups with privacy mode, Telegram sends the bot only replies to it and texts that name it.",
  filters: ["channel_ids", "users", "text_contains", "include_bots", "include_self"],
  pickers: { channel_ids: "telegram.chats", users: "telegram.users" },
  payload,
  sample: {
    user: "5000000001",
    user_name: "Ada Lovelace",
    text: "Is the build green?",
    channel_id: "-1002000000001",
    channel_type: "supergroup",
    channel_name: "Releases",
    thread_ts: "42",
    ts: "42",
    is_dm: false,
    sent_at: "2026-01-01T12:00:00.000Z",
    is_reply: false,
    is_edited: false,
    files: [],
  },
});

/** Null for messages about the chat itself, such as a new member, and for content without text or file. */
export function toMessagePayload(
  message: TelegramMessage,
  sender: { id: string; name: string | null },
): z.output<typeof payload> | null {
  const files = listFiles(message);
  const text = message.text ?? message.caption;
  if (text === undefined && files.length === 0) return null;
  const ts = String(message.message_id);
  const threadTs = toThreadTs(message);
  return {
    user: sender.id,
    user_name: sender.name,
    text: text ?? "",
    ...toChannelPayload(message.chat),
    thread_ts: threadTs,
    ts,
    sent_at: new Date(message.date * 1_000).toISOString(),
    is_reply: threadTs !== ts,
    is_edited: message.edit_date !== undefined,
    files,
  };
}

function listFiles(message: TelegramMessage): z.output<typeof payload>["files"] {
  return fileKinds.flatMap((kind) => {
    const value = message[kind];
    // A photo comes in several sizes. The last one is the largest.
    const file = Array.isArray(value) ? value.at(-1) : value;
    if (file === undefined) return [];
    return {
      kind,
      id: file.file_id,
      name: file.file_name ?? null,
      mimetype: file.mime_type ?? null,
      size: file.file_size ?? null,
    };
  });
}

/** Who sent it: a user, a channel, or an anonymous administrator in the name of the group. */
export function toSender(message: TelegramMessage): { id: string; name: string | null } | null {
  const { from, sender_chat: chat } = message;
  if (chat !== undefined) return { id: String(chat.id), name: chat.title ?? chat.username ?? null };
  return from === undefined ? null : { id: String(from.id), name: toUserName(from) };
}
