import { z } from "zod";
import { firstItems } from "../../../lib/json/first-items.ts";

/** The parts of an update that the adapter reads. Telegram adds members at any time. */

const user = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  first_name: z.string(),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const chat = z.object({
  id: z.int(),
  type: z.enum(["private", "group", "supergroup", "channel"]),
  title: z.string().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
});

const file = z.object({
  file_id: z.string(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.int().optional(),
});

const entity = z.object({ type: z.string(), offset: z.int(), length: z.int() });

/** A text has at most 4,096 characters, and a photo a few sizes. */
const entitiesMax = 4_096;
const photoSizesMax = 100;

const location = { message_id: z.int(), chat, message_thread_id: z.int().optional() };

const message = z.object({
  ...location,
  from: user.optional(),
  sender_chat: chat.optional(),
  date: z.int(),
  edit_date: z.int().optional(),
  reply_to_message: z.object({ message_id: z.int() }).optional(),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: firstItems(entity, entitiesMax).optional(),
  photo: firstItems(file, photoSizesMax).optional(),
  document: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  video_note: file.optional(),
  voice: file.optional(),
  animation: file.optional(),
  sticker: file.optional(),
});

const callbackQuery = z.object({
  id: z.string(),
  from: user,
  /** Absent if the button is below an inline message. */
  message: z.object(location).optional(),
  data: z.string().optional(),
});

export const updateSchema = z.object({
  update_id: z.int(),
  message: message.optional(),
  edited_message: message.optional(),
  channel_post: message.optional(),
  edited_channel_post: message.optional(),
  callback_query: callbackQuery.optional(),
});

export type TelegramUpdate = z.output<typeof updateSchema>;
export type TelegramMessage = z.output<typeof message>;
export type TelegramCallbackQuery = z.output<typeof callbackQuery>;
export type TelegramUser = z.output<typeof user>;
export type TelegramChat = z.output<typeof chat>;
