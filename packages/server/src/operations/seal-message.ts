import { type Json, toJsonText } from "@hub/connector";
import { cutJson } from "../lib/cut-json.ts";
import { toPlainJson } from "../lib/plain-json.ts";
import type { Mask } from "../secrets/mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";

/** Messages wait for slow readers and stay in logs, so nobody chooses how long they are. */
const messageBytesMax = 4 * 1024;
const detailsBytesMax = 16 * 1024;

/** What a connector says in words. One in plain JavaScript may hand over anything: it is sealed, too. */
export function sealMessage(mask: Pick<Mask, "sealText" | "sealJson">, message: unknown): string {
  const sealed =
    typeof message === "string" ? mask.sealText(message) : toJsonText(sealDetails(mask, message));
  return cutSealedText(sealed, messageBytesMax);
}

/** What a connector tells beside. A fault in it must not end the call that it is told of. */
export function sealDetails(mask: Pick<Mask, "sealJson">, details: unknown): Json {
  try {
    return cutJson(mask.sealJson(toPlainJson(details)), detailsBytesMax, cutSealedText);
  } catch {
    return "It cannot be written as JSON, so it is left out.";
  }
}
