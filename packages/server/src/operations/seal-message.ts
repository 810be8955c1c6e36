import { type Json, toJsonText } from "@hub/connector";
import type { Mask } from "../secrets/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { sealBeginning, sealTextBeginning } from "./seal-beginning.ts";

export type MessageMask = Pick<Mask, "sealText" | "sealJson" | "cutText" | "cutList">;

/** Messages wait for slow readers and stay in logs, so nobody chooses how long they are. */
const messageBytesMax = 4 * 1024;
const detailsBytesMax = 16 * 1024;

/** What a connector says in words. One in plain JavaScript may hand over anything: it is sealed, too. */
export function sealMessage(mask: MessageMask, message: unknown): string {
  if (typeof message === "string") return sealTextBeginning(mask, message, messageBytesMax);
  return cutSealedText(toJsonText(sealDetails(mask, message)), messageBytesMax);
}

/** What a connector tells beside. A fault in it must not end the call that it is told of. */
export function sealDetails(mask: MessageMask, details: unknown): Json {
  try {
    return sealBeginning(mask, details, detailsBytesMax);
  } catch {
    return "It cannot be written as JSON, so it is left out.";
  }
}
