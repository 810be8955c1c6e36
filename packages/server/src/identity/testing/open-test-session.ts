import { type Db, transaction } from "../../store/database/database.ts";
import { createSessions } from "../browser-sessions.ts";

type SessionOptions = { userId: string; ipAddress?: string | null; userAgent?: string | null };

/** Begins a session without a sign-in; resolves with its id and the cookie's value. */
export async function openSession(
  deps: { db: Db; now?: () => number },
  { userId, ipAddress = null, userAgent = null }: SessionOptions,
): Promise<{ id: string; token: string }> {
  const { now = Date.now } = deps;
  const { id, token, begin } = createSessions({ ...deps, now }).prepare({ ipAddress, userAgent });
  await transaction(deps.db, (trx) => begin(trx, userId));
  return { id, token };
}
