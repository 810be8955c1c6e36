import type { FieldSpec } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { mapJson } from "../secrets/map-json.ts";
import type { Mask } from "../secrets/mask.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import { parseToken } from "../secrets/token-format.ts";
import { createOpener, holdsToken, type TokenOwner } from "../secrets/value-tokens.ts";
import type { TextKind } from "../secrets/write-opened.ts";
import { checkList, takeApart, toTextKind } from "./take-apart.ts";

type Params = Record<string, unknown>;
type OpenDeps = { ring: KeyRing; mask: Mask; fields: readonly FieldSpec[] };

/**
 * Adds the plaintexts that stand in fields tagged `secret`, before anything is opened. A value that
 * holds a token is left for then: sealed as a whole it would be a token within a token.
 */
export function maskSecretInputs({ ring, mask, fields }: OpenDeps, params: Params): void {
  for (const text of listSecretTexts(fields, params)) {
    if (!holdsToken(ring, text)) mask.addSecret(text, { isGiven: true });
  }
}

/** Params whose tokens are open, and the keys of those in which there were any. */
export type OpenedParams = { params: Params; opened: ReadonlySet<string> };

/**
 * The secret inputs in which a text stands around a token. It is a part of the secret that only the
 * opened value shows, so until then none of it may be recorded.
 */
export function findMixedInputs(
  { ring, fields }: Pick<OpenDeps, "ring" | "fields">,
  params: Params,
): string[] {
  const isMixed = (text: string) => holdsToken(ring, text) && parseToken(text) === null;
  return fields
    .filter((field) => listSecretTexts([field], params).some(isMixed))
    .map(({ key }) => key);
}

/**
 * Replaces every value token in the params, at any depth, by its plaintext, so that it stays one
 * value where it stands: text is taken apart, or known for what it is, before that. What was opened,
 * and what stands in a secret field then, leaves the hub only as a token from here on. Throws
 * `token_invalid` for a token that is not this user's, is bound to another row or was altered.
 */
export function openParams(
  { ring, mask, fields }: OpenDeps,
  owner: TokenOwner,
  params: Params,
): OpenedParams {
  const open = createOpener(ring, owner, (plaintext, of) => mask.addSecret(plaintext, of));
  const opened = new Set<string>();
  const openParam = (key: string, value: unknown): unknown => {
    const field = fields.find((one) => one.key === key);
    const isSecret = field?.secret === true;
    const openText = (given: string, kind: TextKind) => {
      const { text, ofRow } = open(given, kind);
      if (text !== given) opened.add(key);
      if (kind === "list") checkList(key, given, text);
      // Around a row's secret, too, it is the row's: it must not open on the decrypt page.
      if (isSecret) mask.addSecret(text, { ofRow, isGiven: text === given });
      return text;
    };
    const mapNumber = <Part>(part: Part, digits: string): Part => {
      if (isSecret) mask.addSecret(digits, { isGiven: true });
      return part;
    };
    const parts = field === undefined ? value : takeApart(field, value);
    if (typeof parts === "string") return openText(parts, toTextKind(field, params));
    return mapJson(parts, { mapText: (text) => openText(text, "json"), mapNumber });
  };
  const entries = Object.entries(params).map(([key, value]) => [key, openParam(key, value)]);
  return { params: Object.fromEntries(entries), opened };
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
