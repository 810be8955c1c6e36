import { HubError } from "../errors.ts";
import { holdsToken, openText } from "../secrets/value-tokens.ts";
import type { ServiceDeps } from "./service-deps.ts";

/**
 * A text with this user's own tokens in it opened. Throws `token_invalid` for those of other users,
 * and for tokens that are bound to a row: a caller does not read a row's credential.
 */
export async function decryptValue(
  { ring }: Pick<ServiceDeps, "ring">,
  userId: string,
  { text }: { text: string },
): Promise<string> {
  const present = await ring.reload();
  if (!holdsToken(present, text)) {
    throw new HubError("bad_request", "There is no hub_enc_ token in this text.");
  }
  return openText(present, { userId, rowId: null }, text.trim());
}
