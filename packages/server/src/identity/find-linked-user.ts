import { type ChatIdentity, findChatAccount } from "../store/channels/chat-accounts-table.ts";
import type { Db } from "../store/database/database.ts";
import { isActive } from "./to-caller.ts";

/** The id of the active user to whom an account of a chat platform belongs. */
export async function findLinkedUser(
  { db }: { db: Db },
  identity: ChatIdentity,
): Promise<string | null> {
  const account = await findChatAccount(db, identity);
  return account === null || !isActive(account) ? null : account.userId;
}
