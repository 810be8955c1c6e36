import { type Json, toJsonText } from "@hub/connector";
import { detailsBytesMax, messageBytesMax } from "../../lib/limits/answer-limits.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { sealBeginning, sealTextBeginning } from "./seal-beginning.ts";

export type MessageMask = Pick<Mask, "sealText" | "sealJson" | "cutText" | "cutList">;

/**
 * Seals a connector's message. A connector in plain JavaScript may pass any type; that is sealed
 * too.
 */
export function sealMessage(mask: MessageMask, message: unknown): string {
  if (typeof message === "string") return sealTextBeginning(mask, message, messageBytesMax);
  return cutSealedText(toJsonText(sealDetails(mask, message)), messageBytesMax);
}

/** Seals the details of a message. Invalid details must not fail the call. */
export function sealDetails(mask: MessageMask, details: unknown): Json {
  try {
    return sealBeginning(mask, details, detailsBytesMax);
  } catch {
    return "The details cannot be written as JSON, so they are left out.";
  }
}
