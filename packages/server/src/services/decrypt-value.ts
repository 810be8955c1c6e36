import { HubError } from "../errors.ts";
import { LOCAL_ADMIN_ID } from "../identity/local-admin.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import { holdsToken, openText } from "../secrets/value-tokens.ts";
import type { Store } from "../store/open-store.ts";
import { findUser } from "./find-user.ts";

export type DecryptInput = { userId: string; text: string };

export type DecryptForInput = {
  /** Email of the user whose token it is; else the local admin. */
  user?: string | undefined;
  text: string;
};

/** The same for the command line, which names the user. */
export async function decryptForUser(
  { store, ring }: { store: Store; ring: RingHolder },
  { user: email, text }: DecryptForInput,
): Promise<string> {
  const user = email === undefined ? null : await findUser(store.db, email);
  return await decryptValue({ ring }, { userId: user?.id ?? LOCAL_ADMIN_ID, text });
}

/**
 * A text with this user's own tokens in it opened. Throws `token_invalid` for those of other users,
 * and for tokens that are bound to a row: a caller does not read a row's credential.
 */
export async function decryptValue(
  { ring }: { ring: RingHolder },
  { userId, text }: DecryptInput,
): Promise<string> {
  const present = await ring.reload();
  if (!holdsToken(present, text)) {
    throw new HubError("bad_request", "There is no hub_enc_ token in this text.");
  }
  return openText(present, { userId, rowId: null }, text.trim());
}
