import { HubError } from "../../errors.ts";
import { containsToken, openText } from "../../secrets/value-tokens/value-tokens.ts";
import type { ServiceDeps } from "../service-deps.ts";

/**
 * Replaces this user's tokens in a text by their values. Throws `token_invalid` for tokens of other
 * users and for tokens that are bound to a row: a caller cannot read a row's credentials.
 */
export async function decryptValue(
  { ring }: Pick<ServiceDeps, "ring">,
  userId: string,
  { text }: { text: string },
): Promise<string> {
  const present = await ring.reload();
  if (!containsToken(present, text)) {
    throw new HubError("bad_request", "There is no hub_enc_ token in this text.");
  }
  return openText(present, { userId, rowId: null }, text.trim());
}
