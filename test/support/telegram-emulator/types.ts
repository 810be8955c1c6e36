/** The objects of the Bot API that the emulator sends. */
export type User = {
  id: number;
  is_bot: boolean;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
};

export type ChatInfo = {
  id: number;
  type: "private" | "group" | "supergroup" | "channel";
  title?: string;
  username?: string;
  first_name?: string;
  last_name?: string;
  is_forum?: true;
};

export type Entity = {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
  custom_emoji_id?: string;
  user?: User;
};

type InlineButton = { text: string; callback_data?: string; url?: string };
export type InlineKeyboard = { inline_keyboard: InlineButton[][] };

export type Message = {
  message_id: number;
  message_thread_id?: number;
  is_topic_message?: true;
  from?: User;
  sender_chat?: ChatInfo;
  date: number;
  edit_date?: number;
  chat: ChatInfo;
  reply_to_message?: Message;
  text?: string;
  entities?: Entity[];
  reply_markup?: InlineKeyboard;
  /** Other content: `photo`, `caption`, `new_chat_members` and the like. */
  [content: string]: unknown;
};

export type CallbackQuery = {
  id: string;
  from: User;
  message: Message;
  chat_instance: string;
  data: string;
};

/** Update types that the emulator knows. The last three arrive only if they are asked for. */
export const updateTypes = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "inline_query",
  "chosen_inline_result",
  "callback_query",
  "poll",
  "poll_answer",
  "my_chat_member",
  "chat_join_request",
  "chat_member",
  "message_reaction",
  "message_reaction_count",
] as const;
export type UpdateType = (typeof updateTypes)[number];

export type Update = { update_id: number } & { [type in UpdateType]?: unknown };

export type MemberStatus = "creator" | "administrator" | "member" | "left" | "kicked";
