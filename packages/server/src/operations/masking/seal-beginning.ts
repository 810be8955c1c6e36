import type { Json } from "@hub/connector";
import { cutJson } from "../../lib/json/cut-json.ts";
import { toPlainBeginning } from "../../lib/json/plain-json.ts";
import { TooManySecretsError } from "../../secrets/masks/limit-seals.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";

type BeginningMask = Pick<Mask, "sealText" | "sealJson" | "cutText" | "cutList">;

/** Sealing and the final cut change the size of members, so the first cut keeps more. */
const firstCutFactor = 4;

/**
 * Seals the beginning of a text. Only that part is searched, so the cost does not depend on the
 * text's length. A secret that the first cut would split is left out. Tokens make the text longer,
 * so it is cut again.
 */
export function sealTextBeginning(
  mask: Pick<BeginningMask, "sealText" | "cutText">,
  text: string,
  bytesMax: number,
): string {
  try {
    return cutSealedText(mask.sealText(mask.cutText(text, bytesMax)), bytesMax);
  } catch (thrown) {
    if (!(thrown instanceof TooManySecretsError)) throw thrown;
    return "A text contains secrets in too many forms to be sealed, so it is left out.";
  }
}

/** The same for a value that can be written as JSON. Throws for other values, such as a cycle. */
export function sealBeginning(mask: BeginningMask, value: unknown, bytesMax: number): Json {
  const plain = toPlainBeginning(value, bytesMax * firstCutFactor, mask);
  return cutJson(mask.sealJson(plain), bytesMax, cutSealedText);
}
