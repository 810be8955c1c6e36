import { createHash } from "node:crypto";
import { type Json, toJsonText } from "@hub/connector";

/** A digest by which equal values are recognized. */
export function digestJson(value: Json): string {
  return createHash("sha256").update(toJsonText(value)).digest("base64url");
}
