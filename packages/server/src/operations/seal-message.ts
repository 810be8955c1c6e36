import { type Json, toJsonText } from "@hub/connector";
import { toPlainJson } from "../lib/plain-json.ts";
import type { Mask } from "../secrets/mask.ts";

/** What a connector says in words. One in plain JavaScript may hand over anything: it is sealed, too. */
export function sealMessage(mask: Pick<Mask, "sealText" | "sealJson">, message: unknown): string {
  if (typeof message === "string") return mask.sealText(message);
  return toJsonText(sealDetails(mask, message));
}

/** What a connector tells beside. A fault in it must not end the call that it is told of. */
export function sealDetails(mask: Pick<Mask, "sealJson">, details: unknown): Json {
  try {
    return mask.sealJson(toPlainJson(details));
  } catch {
    return "It cannot be written as JSON, so it is left out.";
  }
}
