import type { ChatAccount } from "../chat-adapter.ts";
import type { TelegramClient } from "./telegram-client.ts";

export async function readAccount(client: TelegramClient): Promise<ChatAccount> {
  const me = await client.call((api) => api.getMe());
  return {
    teamId: null,
    teamName: null,
    userId: String(me.id),
    userName: me.username,
  };
}

/** The bot's user id is the first part of its token. */
export function toBotId(token: string): string {
  return token.slice(0, Math.max(0, token.indexOf(":")));
}
