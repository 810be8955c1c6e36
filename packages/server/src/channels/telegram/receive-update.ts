import type { ChatAccount, ChatEnvelope, OpenChannel } from "../chat-adapter.ts";
import { toUnreadable } from "../unreadable-envelope.ts";
import { toBotId } from "./bot-account.ts";
import { readUpdate } from "./events/read-update.ts";
import { updateSchema } from "./events/update.ts";
import type { TelegramConfig } from "./telegram-config-fields.ts";

type UpdateType =
  | "message"
  | "edited_message"
  | "channel_post"
  | "edited_channel_post"
  | "callback_query";

/** What Telegram is asked for. It sends nothing else. */
export function listAllowedUpdates(config: TelegramConfig): UpdateType[] {
  const { ChannelPosts, IncludeEdits } = config;
  return [
    "message",
    "callback_query",
    ...(ChannelPosts ? (["channel_post"] as const) : []),
    ...(IncludeEdits ? (["edited_message"] as const) : []),
    ...(ChannelPosts && IncludeEdits ? (["edited_channel_post"] as const) : []),
  ];
}

/** The envelope is `unreadable` if the update is not of Telegram's form. */
export function parseUpdate(
  update: unknown,
  channel: OpenChannel,
  account: ChatAccount | null,
): ChatEnvelope {
  const parsed = updateSchema.safeParse(update);
  if (!parsed.success) return toUnreadable(parsed.error);
  const id = account?.userId ?? toBotId(String(channel.config.Token));
  return readUpdate(parsed.data, { id, name: account?.userName ?? null });
}
