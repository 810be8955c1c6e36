import type { Json } from "@hub/connector";
import { cutJson } from "../lib/cut-json.ts";
import { toPlainBeginning } from "../lib/plain-json.ts";
import { TooManySecretsError } from "../secrets/limit-seals.ts";
import type { Mask } from "../secrets/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";

type BeginningMask = Pick<Mask, "sealText" | "sealJson" | "cutText" | "cutList">;

/** Members are weighed before they are sealed and cut fairly, so more of them is kept at first. */
const roomFactor = 4;

/**
 * Seals as much of a text as is kept: however long it is, what is searched is not. A secret that
 * the first cut would go through is left out; tokens make the text longer, so it is cut again.
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
    return "A text shows secrets in too many ways to be sealed, so it is left out.";
  }
}

/** The same for anything that can be written as JSON. Throws for what cannot, such as a cycle. */
export function sealBeginning(mask: BeginningMask, value: unknown, bytesMax: number): Json {
  const plain = toPlainBeginning(value, bytesMax * roomFactor, mask);
  return cutJson(mask.sealJson(plain), bytesMax, cutSealedText);
}
