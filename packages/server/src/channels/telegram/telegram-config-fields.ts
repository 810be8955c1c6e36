import { type FieldValues, wick } from "@hub/connector";

/** The configuration of a row of the `telegram` connector. */
export const telegramConfig = {
  Token: wick("secret;required;group=Bot;desc=The bot's token, as @BotFather gives it."),
  Mode: wick(
    "dropdown=polling|webhook;default=polling;group=Events;desc=polling: the hub asks Telegram for events and needs no public address. webhook: Telegram sends them to the hub's base URL, which must be public and https.",
  ),
  ChannelPosts: wick.bool(
    "default=true;group=Events;desc=Posts in channels where the bot is an administrator are messages too.",
  ),
  IncludeEdits: wick.bool(
    "default=false;group=Events;desc=An edited message is a message event too, with is_edited.",
  ),
  BaseURL: wick(
    "url;default=https://api.telegram.org;group=Advanced||collapsed;desc=The Bot API server, if you run your own.",
  ),
};

export type TelegramConfig = FieldValues<typeof telegramConfig>;
