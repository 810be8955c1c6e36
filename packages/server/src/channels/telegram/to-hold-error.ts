import { ChatRefusal, ChatRetryLater } from "../chat-adapter.ts";
import { TelegramError } from "./telegram-client.ts";

/** Why the channel is not connected, for its page, and whether to try again. */
export function toHoldError(thrown: unknown): unknown {
  if (!(thrown instanceof TelegramError)) return thrown;
  const { code, description, retryAfterS } = thrown;
  if (code === 401 || code === 404) {
    return new ChatRefusal(
      "Telegram does not accept the bot's token. Get a new one from @BotFather and set it.",
    );
  }
  if (code === 409) {
    return new Error(
      `Another program receives this bot's messages. Stop it, or get a new token from @BotFather. Telegram says: ${description}`,
    );
  }
  if (code === 429) {
    const seconds = retryAfterS ?? 1;
    return new ChatRetryLater(`Telegram asks to wait ${seconds} s.`, seconds * 1_000);
  }
  return new Error(`Telegram says: ${description}`);
}
