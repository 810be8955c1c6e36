import { HubError } from "../../errors.ts";
import { sealValue, tokenTextCharsMax } from "../../secrets/value-tokens/value-tokens.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** Encrypts a value into a token that opens only in this user's calls. */
export async function encryptValue(
  { ring }: Pick<ServiceDeps, "ring">,
  userId: string,
  { text }: { text: string },
): Promise<string> {
  if (text === "")
    throw new HubError(
      "bad_request",
      "The value to encrypt is empty. Enter at least one character.",
    );
  if (text.length > tokenTextCharsMax) {
    throw new HubError(
      "bad_request",
      `The value to encrypt has ${text.length} characters, and at most ${tokenTextCharsMax} are possible. Encrypt a shorter value.`,
      { detail: { chars_max: tokenTextCharsMax } },
    );
  }
  return sealValue(await ring.reload(), { userId, rowId: null }, text);
}
