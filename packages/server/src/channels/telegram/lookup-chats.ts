import type { LookupItem } from "@hub/connector";
import { findSource } from "../find-look-up-source.ts";
import { type CallContext, openRow } from "./operations/call-telegram.ts";
import { TelegramError } from "./telegram-client.ts";

const sources = ["telegram.chats", "telegram.users"] as const;

/**
 * Telegram has no list of a bot's chats. An id, or @ and a public name, is looked up; an id that the
 * bot cannot see can be picked as it is.
 */
export async function lookupChats(
  ctx: Omit<CallContext, "config"> & {
    config: { Token?: string | undefined; BaseURL?: string | undefined };
    source: string;
    query: string;
  },
): Promise<LookupItem[]> {
  const { Token, BaseURL } = ctx.config;
  const source = findSource(sources, ctx.source, { channels: "telegram.chats" });
  const query = ctx.query.trim();
  const isId = /^-?\d{1,16}$/.test(query);
  const isUserSource = source === "telegram.users";
  if (!(isId || (/^@\w{4,32}$/.test(query) && !isUserSource))) return [];
  if (!Token || !BaseURL) return [];
  const client = await openRow({ config: { Token, BaseURL }, fetch: ctx.fetch });
  try {
    const chat = await client.call((api) => api.getChat(isId ? Number(query) : query));
    const person = [chat.first_name, chat.last_name].filter(Boolean).join(" ");
    return [{ id: String(chat.id), name: chat.title ?? (person || query) }];
  } catch (thrown) {
    if (!(thrown instanceof TelegramError)) throw thrown;
    return isId ? [{ id: query, name: query }] : [];
  }
}
