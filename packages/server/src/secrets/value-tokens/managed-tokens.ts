import { createHash } from "node:crypto";
import { z } from "zod";
import type { KeyRing } from "../keys/key-ring.ts";
import { mapJson } from "../masks/map-json.ts";
import { findTokenSpans, isBoundToken, tokenPrefix } from "./token-format.ts";
import { findValue, sealValue, type TokenOwner } from "./value-tokens.ts";

/** What a token of a secret in a manager stands for: the value is taken at each call, and the token never holds it. */
export type ManagedUse = {
  /** The id of the reference. */
  reference: string;
  /** The user of credentials as RFC 7617 has them. Null for the secret as it is. */
  user: string | null;
};

type CallOwner = { userId: string; rowId: string };

const useSchema = z.strictObject({ reference: z.string(), user: z.string().nullable() });
/** More in one call are refused as unknown tokens, and so are longer ones: a sender chooses both. */
const usesMax = 50;
const tokenCharsMax = 4_096;

/** Makes the token of a secret in a manager. It opens in calls of its user to its row alone. */
export function sealManagedUse(ring: KeyRing, owner: CallOwner, use: ManagedUse): string {
  return sealValue(ring, toManagedOwner(owner), JSON.stringify(use));
}

/** The tokens of secrets in managers in a JSON value, that belong to the user and row. */
export function listManagedUses(
  ring: KeyRing,
  owner: CallOwner,
  value: unknown,
): Map<string, ManagedUse> {
  const seen = new Set<string>();
  const uses = new Map<string, ManagedUse>();
  const managed = toManagedOwner(owner);
  const read = (token: string) => {
    if (token.length > tokenCharsMax || seen.size >= usesMax || seen.has(token)) return;
    if (!isBoundToken(token)) return;
    seen.add(token);
    const text = findValue(ring, managed, token);
    if (text !== null) uses.set(token, useSchema.parse(JSON.parse(text)));
  };
  mapJson(value, {
    mapText(text) {
      if (seen.size >= usesMax || !text.includes(tokenPrefix)) return text;
      for (const { start, end } of findTokenSpans(text)) read(text.slice(start, end));
      return text;
    },
  });
  return uses;
}

/** No row has this id, so nothing else is sealed for it, and these tokens cannot be made of other values. */
function toManagedOwner({ userId, rowId }: CallOwner): TokenOwner {
  const hex = createHash("sha256").update(`managed secret in ${rowId}`).digest("hex");
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  return { userId, rowId: id };
}
