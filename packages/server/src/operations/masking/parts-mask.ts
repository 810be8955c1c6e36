import type { Mask } from "../../secrets/masks/mask.ts";
import { listAddressParts } from "../../secrets/needles/address-parts.ts";

/** Seals texts that the hub itself writes. */
export type TextMask = Pick<Mask, "sealText" | "cutText">;

/** Limits the time to report an outside failure, even if the call has many secrets. */
const partsMax = 200;

/** Adds the secrets of a mask and their parts, such as hosts, to a wider one. */
export function createPartsMask(mask: Mask, rowId: string | null, wider: Mask): TextMask {
  if (rowId !== null) wider.bindRow(rowId);
  let partsLeft = partsMax;
  for (const { text, ignoreCase, ofRow } of mask.listSecrets()) {
    if (ignoreCase) wider.addSecretIgnoreCase(text, { ofRow });
    else wider.addSecret(text, { ofRow });
    for (const part of listAddressParts(text).slice(0, partsLeft)) {
      wider.addSecretIgnoreCase(part, { ofRow });
      partsLeft -= 1;
    }
  }
  return {
    cutText: (text, bytesMax) => wider.cutText(text, bytesMax),
    sealText: (text) => mask.sealText(wider.sealText(text)),
  };
}
