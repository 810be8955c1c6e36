import type { Caller } from "../caller.ts";
import type { ProviderWatch } from "./sso/watch-provider.ts";

/** The user whom the provider knows: a service user stands and falls with its owner. */
export function toWatchedUser({
  userId,
  ownerId = "",
}: Pick<Caller, "userId" | "ownerId">): string {
  return ownerId === "" ? userId : ownerId;
}

/**
 * The caller of work that no request brings, such as a run or an approved call. Null, as for a user who is not active, if the
 * provider does not confirm the user. Reads again if the provider was asked: tags and role may have changed.
 */
export async function findAdmitted(
  watch: Pick<ProviderWatch, "admit"> | null,
  read: () => Promise<Caller | null>,
): Promise<Caller | null> {
  const caller = await read();
  if (caller === null || watch === null) return caller;
  const asked = watch.admit(toWatchedUser(caller));
  if ((await asked) !== null) return null;
  return asked === null ? caller : await read();
}
