import type { FieldSpec } from "@hub/connector";
import type { Mask } from "../secrets/mask.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import { openJson, tokenPrefix } from "../secrets/value-tokens.ts";

/**
 * Replaces every value token in the params, at any depth, by its plaintext. What was opened, and
 * what came in plain in a secret field, leaves the hub only as a token from here on.
 * Throws `token_invalid` for a token that is not this user's or was altered.
 */
export function openParams(
  ring: RingHolder,
  mask: Mask,
  userId: string,
  params: Record<string, unknown>,
): Record<string, unknown> {
  const opened = openJson(ring.current(), userId, params, (plaintext) => mask.addSecret(plaintext));
  // Opening replaces strings only, so a record stays a record.
  return opened as Record<string, unknown>;
}

/**
 * Adds the plaintexts that stand in fields tagged `secret`. A value that holds a token is left for
 * when it is opened: sealed as a whole it would be a token within a token.
 */
export function maskSecretInputs(
  mask: Mask,
  fields: readonly FieldSpec[],
  params: Record<string, unknown>,
): void {
  for (const field of fields) {
    const value = Object.hasOwn(params, field.key) ? params[field.key] : undefined;
    if (!field.secret || value === undefined || value === null) continue;
    const text = String(value);
    if (!text.includes(tokenPrefix)) mask.addSecret(text);
  }
}
