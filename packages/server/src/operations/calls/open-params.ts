import type { FieldSpec } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { mapJson } from "../../secrets/masks/map-json.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { findBase64Text, listCredentialParts } from "../../secrets/needles/credential-parts.ts";
import { parseToken } from "../../secrets/value-tokens/token-format.ts";
import {
  containsToken,
  createOpener,
  listLargeTokens,
  type OpenedTokens,
  openInPortions,
  type TokenOwner,
} from "../../secrets/value-tokens/value-tokens.ts";
import type { TextKind } from "../../secrets/value-tokens/write-opened.ts";
import { checkList, parseTableText, toTextKind } from "./field-text.ts";

type Params = Record<string, unknown>;
type OpenDeps = { ring: KeyRing; mask: Mask; fields: readonly FieldSpec[] };

/**
 * Opens the tokens of large params, so that `openParams` does not hold the event loop for long. Null if it
 * does not in any case.
 */
export function openLargeTokens(
  { ring, mask }: { ring: RingHolder; mask: Mask },
  owner: TokenOwner,
  params: Params,
): Promise<OpenedTokens> | null {
  const tokens = listLargeTokens(params);
  if (tokens === null) return null;
  return openInPortions(ring.current(), owner, tokens, {
    onOpened: (plaintext, of) => mask.addSecret(plaintext, of),
    yieldTurn: yieldToEventLoop,
  });
}

/**
 * Adds the plaintexts in fields tagged `secret` to the mask, before tokens are opened. A value with
 * a token is added after it is opened, since sealing it now would put a token into a token.
 */
export function maskSecretInputs({ ring, mask, fields }: OpenDeps, params: Params): void {
  for (const text of listSecretTexts(fields, params)) {
    if (!containsToken(ring, text)) mask.addSecret(text, { isFromCaller: true });
  }
}

/** The params with opened tokens, and the keys of the params that contained tokens. */
export type OpenedParams = { params: Params; opened: ReadonlySet<string> };

/**
 * The secret inputs with text around a token. That text is part of a secret whose full value is not
 * known before the token is opened, so it must not be recorded until then.
 */
export function findMixedInputs(
  { ring, fields }: Pick<OpenDeps, "ring" | "fields">,
  params: Params,
): string[] {
  const isMixed = (text: string) => containsToken(ring, text) && parseToken(text) === null;
  return fields
    .filter((field) => listSecretTexts([field], params).some(isMixed))
    .map(({ key }) => key);
}

/**
 * Replaces every value token in the params by its plaintext, at any depth. Structured text is
 * parsed or its format is determined first, so that an opened value always stays one value. From
 * here on, opened values and values of secret fields leave the hub only as tokens. Throws
 * `token_invalid` for a token that belongs to another user, is bound to another row or was altered.
 */
export function openParams(
  { ring, mask, fields, before }: OpenDeps & { before?: OpenedTokens | null },
  owner: TokenOwner,
  params: Params,
): OpenedParams {
  const onOpened = (plaintext: string, of: { ofRow: boolean }) => mask.addSecret(plaintext, of);
  const open = createOpener(ring, owner, onOpened, before ?? undefined);
  const opened = new Set<string>();
  const openParam = (key: string, value: unknown): unknown => {
    const field = fields.find((one) => one.key === key);
    const isSecret = field?.secret === true;
    const openText = (given: string, kind: TextKind) => {
      const { text, ofRow } = open(given, kind);
      const derived = { ofRow, isDerived: true };
      if (text !== given) opened.add(key);
      // A server can answer with the password alone.
      const isBasic = text !== given && /^basic\s/i.test(text);
      if (isBasic) for (const part of listCredentialParts(text)) mask.addSecret(part, derived);
      const decoded = text !== given && typeof value === "string" ? findBase64Text(text) : null;
      if (decoded !== null) mask.addSecret(decoded, derived);
      if (kind === "list") checkList(key, given, text);
      // A text around a token of a row's secret belongs to the row too: the decrypt page must not
      // open it.
      if (isSecret) mask.addSecret(text, text === given ? { ofRow, isFromCaller: true } : derived);
      return text;
    };
    const mapNumber = <Part>(part: Part, digits: string): Part => {
      if (isSecret) mask.addSecret(digits, { isFromCaller: true });
      return part;
    };
    const parts = field === undefined ? value : parseTableText(field, value);
    if (typeof parts === "string") return openText(parts, toTextKind(field, params));
    return mapJson(parts, { mapText: (text) => openText(text, "json"), mapNumber });
  };
  const entries = Object.entries(params).map(([key, value]) => [key, openParam(key, value)]);
  return { params: Object.fromEntries(entries), opened };
}

/**
 * Opens tokens with the known keys. If that fails and there are new keys, it tries again. An
 * interrupted rotation can leave a key that only its tokens refer to.
 */
export function openWithPresentKeys<Opened>(
  ring: RingHolder,
  open: (ring: KeyRing) => Opened,
): Opened | Promise<Opened> {
  const known = ring.current();
  try {
    return open(known);
  } catch (thrown) {
    return openAgain(ring, known, open, thrown);
  }
}

async function openAgain<Opened>(
  ring: RingHolder,
  known: KeyRing,
  open: (ring: KeyRing) => Opened,
  thrown: unknown,
): Promise<Opened> {
  if (!(thrown instanceof HubError && thrown.code === "token_invalid")) throw thrown;
  const present = await ring.reload();
  if ([...present.keys.keys()].every((id) => known.keys.has(id))) throw thrown;
  return open(present);
}

/**
 * Every text and number in secret fields, also in values of the wrong type: they are refused, but
 * recorded.
 */
function listSecretTexts(fields: readonly FieldSpec[], params: Params): string[] {
  const texts: string[] = [];
  const addText = <Part>(part: Part, text: string): Part => {
    texts.push(text);
    return part;
  };
  for (const { key, secret } of fields) {
    if (!secret || !Object.hasOwn(params, key)) continue;
    mapJson(params[key], { mapText: (text) => addText(text, text), mapNumber: addText });
  }
  return texts;
}
