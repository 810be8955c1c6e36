import type { FieldSpec } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { mapJson } from "../secrets/map-json.ts";
import type { Mask } from "../secrets/mask.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import { holdsToken, openJson } from "../secrets/value-tokens.ts";

type Params = Record<string, unknown>;
type OpenDeps = { ring: KeyRing; mask: Mask; fields: readonly FieldSpec[] };

/**
 * Adds the plaintexts that stand in fields tagged `secret`, before anything is opened. A value that
 * holds a token is left for then: sealed as a whole it would be a token within a token.
 */
export function maskSecretInputs({ ring, mask, fields }: OpenDeps, params: Params): void {
  for (const text of listSecretTexts(fields, params)) {
    if (!holdsToken(ring, text)) mask.addSecret(text);
  }
}

/**
 * Replaces every value token in the params, at any depth, by its plaintext. What was opened, and
 * what stands in a secret field then, leaves the hub only as a token from here on.
 * Throws `token_invalid` for a token that is not this user's or was altered.
 */
export function openParams(
  { ring, mask, fields }: OpenDeps,
  userId: string,
  params: Params,
): Params {
  // Opening replaces strings only, so a record stays a record.
  const opened = openJson(ring, userId, params, (plaintext) => mask.addSecret(plaintext)) as Params;
  for (const text of listSecretTexts(fields, opened)) mask.addSecret(text);
  return opened;
}

/**
 * Opens with the keys at hand, and once more if others are there by now: a rotation that broke off
 * before its commit has left a key that nothing but a token sealed with it tells of.
 */
export async function openWithPresentKeys<Opened>(
  ring: RingHolder,
  open: (ring: KeyRing) => Opened,
): Promise<Opened> {
  const known = ring.current();
  try {
    return open(known);
  } catch (thrown) {
    if (!(thrown instanceof HubError && thrown.code === "token_invalid")) throw thrown;
    const present = await ring.reload();
    if ([...present.keys.keys()].every((id) => known.keys.has(id))) throw thrown;
    return open(present);
  }
}

/** Every text and number in secret fields: one of a wrong shape is refused, but still on record. */
function listSecretTexts(fields: readonly FieldSpec[], params: Params): string[] {
  const texts: string[] = [];
  const note = <Part>(part: Part, text: string): Part => {
    texts.push(text);
    return part;
  };
  for (const { key, secret } of fields) {
    if (!secret || !Object.hasOwn(params, key)) continue;
    mapJson(params[key], { mapText: (text) => note(text, text), mapNumber: note });
  }
  return texts;
}
