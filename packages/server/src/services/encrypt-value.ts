import { HubError } from "../errors.ts";
import { localAdmin } from "../identity/local-admin.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import { sealValue } from "../secrets/value-tokens.ts";
import type { Store } from "../store/open-store.ts";
import { findUser } from "./find-user.ts";

type EncryptDeps = { store: Store; ring: RingHolder };

export type EncryptInput = {
  /** Email of the only user in whose calls the token will open; else the local admin. */
  user?: string | undefined;
  text: string;
};

/** Turns a value into a token that a model may hold and pass on, and only the hub can open. */
export async function encryptValue(
  { store, ring }: EncryptDeps,
  { user: email, text }: EncryptInput,
): Promise<{ token: string; user: string }> {
  if (text === "")
    throw new HubError("bad_request", "There is nothing to encrypt: the value is empty.");
  const user = email === undefined ? null : await findUser(store.db, email);
  const owner = { userId: user?.id ?? localAdmin.userId, rowId: null };
  const token = sealValue(await ring.reload(), owner, text);
  return { token, user: user?.email ?? localAdmin.email };
}
