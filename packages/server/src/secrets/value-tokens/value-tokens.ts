import { HubError } from "../../errors.ts";
import { createGcmSiv } from "../keys/gcm-siv.ts";
import type { KeyRing, RingKey } from "../keys/key-ring.ts";
import { mapJson } from "../masks/map-json.ts";
import {
  createBareHeaderCheck,
  formatToken,
  isBoundToken,
  parseToken,
  splitTokens,
  type TextPart,
  toHeaderBytes,
  tokenPrefix,
} from "./token-format.ts";
import { type TextKind, toWriter } from "./write-opened.ts";

export { tokenPrefix };

const purpose = "hub-enc-v1";
const tagBytes = 16;
/**
 * A constant nonce, so that equal values have equal tokens. AES-GCM-SIV is safe for this (RFC
 * 8452).
 */
const nonce = new Uint8Array(12);
/** A leading byte-order mark is part of the value. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The owner of a token: a user and, for a secret of a row, that row. */
export type TokenOwner = {
  userId: string;
  /** Null for a value of the user, whose token opens in all calls of the user. */
  rowId: string | null;
};

/**
 * Creates the owner's token for a text. Equal texts have equal tokens. Throws `bad_request` for an
 * empty text.
 */
export function sealValue(ring: KeyRing, owner: TokenOwner, text: string): string {
  if (text === "") {
    throw new HubError(
      "bad_request",
      "The value to encrypt is empty. Enter at least one character.",
    );
  }
  const plaintext = Buffer.from(text, "utf8");
  const header = toHeaderBytes({
    version: owner.rowId === null ? 1 : 2,
    keyId: ring.sealing.id,
    ciphertextBytes: plaintext.length + tagBytes,
  });
  return formatToken(header, createCipher(ring.sealing, owner, header).encrypt(plaintext));
}

/**
 * Opens a token. Returns null if it belongs to another user, was altered or is not a token. A token
 * that is bound to a row opens for that row only. A token of the user opens for all rows.
 */
export function findValue(ring: KeyRing, owner: TokenOwner, token: string): string | null {
  const parts = parseToken(token);
  const key = parts === null ? undefined : ring.keys.get(parts.keyId);
  if (parts === null || key === undefined) return null;
  const isBound = parts.version === 2;
  if (isBound && owner.rowId === null) return null;
  const rowId = isBound ? owner.rowId : null;
  const cipher = createCipher(key, { userId: owner.userId, rowId }, parts.header);
  try {
    return utf8.decode(cipher.decrypt(parts.ciphertext));
  } catch {
    // All failures give the same result, because details would help an attacker.
    return null;
  }
}

/** Opens a token. Throws `token_invalid` if that fails. */
export function openValue(ring: KeyRing, owner: TokenOwner, token: string): string {
  const text = findOwnValue(ring, owner, token);
  if (text === null) throw toTokenInvalid(token);
  return text;
}

/** Receives every opened plaintext, so that it can be masked. */
type OnOpened = (plaintext: string, of: { ofRow: boolean }) => void;

/** A text with opened tokens. `ofRow` is true if one of them was bound to the row. */
export type OpenedText = { text: string; ofRow: boolean };

/** Opens every token in a text. Throws `token_invalid`. */
export function openText(ring: KeyRing, owner: TokenOwner, text: string): string {
  return createOpener(ring, owner)(text).text;
}

/** Opens every token in the strings of a JSON value, at any depth. Keys do not change. */
export function openJson(
  ring: KeyRing,
  owner: TokenOwner,
  value: unknown,
  onOpened: OnOpened = () => {},
): unknown {
  const open = createOpener(ring, owner, onOpened);
  return mapJson(value, { mapText: (text) => open(text).text });
}

/** Tokens that were opened beforehand, and their plaintexts. */
export type OpenedTokens = ReadonlyMap<string, string>;

/** Shorter texts are opened in one go. */
const portionChars = 64 * 1024;
/** The fixed cost of opening a token, expressed in characters. */
const tokenChars = 2048;

/**
 * Opens tokens, and lets other requests work after each portion. Their plaintexts are passed on at once, so
 * that too many of them are refused before all are opened. Tokens that do not open are left out.
 */
export async function openInPortions(
  ring: KeyRing,
  owner: TokenOwner,
  tokens: ReadonlySet<string>,
  { onOpened, yieldTurn }: { onOpened: OnOpened; yieldTurn(): Promise<void> },
): Promise<OpenedTokens> {
  const opened = new Map<string, string>();
  let left = portionChars;
  for (const token of tokens) {
    if (left <= 0) {
      await yieldTurn();
      left = portionChars;
    }
    left -= token.length + tokenChars;
    const text = findOwnValue(ring, owner, token);
    if (text === null) continue;
    onOpened(text, { ofRow: isBoundToken(token) });
    opened.set(token, text);
  }
  return opened;
}

/** The different tokens in the strings of a JSON value; null if they can be opened in one go. */
export function listLargeTokens(value: unknown): ReadonlySet<string> | null {
  let tokens: Set<string> | null = null;
  let chars = 0;
  mapJson(value, {
    mapText(text) {
      if (text.length < tokenPrefix.length || !text.includes(tokenPrefix)) return text;
      for (const { kind, text: token } of splitTokens(text, null)) {
        if (kind !== "token" || tokens?.has(token)) continue;
        tokens ??= new Set();
        tokens.add(token);
        chars += token.length + tokenChars;
      }
      return text;
    },
  });
  return chars > portionChars ? tokens : null;
}

/**
 * A longer value would hold the event loop for too long, because it cannot be opened in portions. The
 * hub encrypts no longer one.
 */
export const tokenTextCharsMax = 500_000;
/** Three bytes for each character, as base64. */
const tokenCharsMax = tokenTextCharsMax * 4;

function findOwnValue(ring: KeyRing, owner: TokenOwner, token: string): string | null {
  if (token.length <= tokenCharsMax) return findValue(ring, owner, token);
  throw new HubError(
    "invalid_params",
    `An encrypted value is too long: it may have at most ${tokenTextCharsMax} characters. Send shorter values.`,
    { detail: { chars_max: tokenTextCharsMax } },
  );
}

/** Whether the text contains a token or a broken token. */
export function containsToken(ring: KeyRing, text: string): boolean {
  return splitText(ring, text).some(({ kind }) => kind !== "text");
}

/**
 * Opens the texts of one call. Each token is decrypted once, so that repeated tokens have no extra
 * cost.
 */
export function createOpener(
  ring: KeyRing,
  owner: TokenOwner,
  onOpened: OnOpened = () => {},
  before: OpenedTokens = new Map(),
): (text: string, kind?: TextKind) => OpenedText {
  const known = new Map<string, OpenedText>();
  const open = (token: string): OpenedText => {
    const same = known.get(token);
    if (same !== undefined) return same;
    const opened = {
      text: before.get(token) ?? openValue(ring, owner, token),
      ofRow: isBoundToken(token),
    };
    onOpened(opened.text, opened);
    known.set(token, opened);
    return opened;
  };
  return (text, kind = "raw") => {
    const split = splitText(ring, text);
    if (split.every(({ kind }) => kind === "text")) return { text, ofRow: false };
    const write = toWriter({ text, isWhole: split.length === 1, kind });
    const parts = split.map(({ kind, text: part }): OpenedText => {
      if (kind === "broken") throw toTokenInvalid(part);
      if (kind === "text") return { text: part, ofRow: false };
      const opened = open(part);
      return { text: write(opened.text), ofRow: opened.ofRow };
    });
    return {
      text: parts.map((part) => part.text).join(""),
      ofRow: parts.some(({ ofRow }) => ofRow),
    };
  };
}

function splitText(ring: KeyRing, text: string): TextPart[] {
  const parts: TextPart[] = text.includes(tokenPrefix)
    ? splitTokens(text, ring.keys)
    : [{ kind: "text", text }];
  const containsBareHeader = createBareHeaderCheck(ring.keys);
  return parts.map((part) =>
    part.kind === "text" && containsBareHeader(part.text)
      ? { kind: "broken", text: part.text }
      : part,
  );
}

function toTokenInvalid(token: string): HubError {
  const start = `An encrypted value (${tokenPrefix}…) cannot be opened`;
  return parseToken(token)?.version === 2
    ? new HubError(
        "token_invalid",
        `${start} here: it is a secret of a row and works only in calls of that row by the user who received it. Pass it unchanged to the row that it came from. If another row needs the secret, ask an admin to add it to that row's configuration.`,
      )
    : new HubError(
        "token_invalid",
        `${start}: it belongs to another user, it was altered or truncated, or its key was removed. Pass encrypted values unchanged. For a new one, call the tool hub_encrypt and follow its message, or use the hub's encrypt page.`,
      );
}

/**
 * In version 2, the authenticated data also contains the row, so that a token does not open for
 * another row.
 */
function createCipher(key: RingKey, { userId, rowId }: TokenOwner, header: Uint8Array) {
  const user = toUuidBytes(userId);
  const row = rowId === null ? [] : [toUuidBytes(rowId)];
  return createGcmSiv(key.derive(purpose, user), nonce, Buffer.concat([header, user, ...row]));
}

function toUuidBytes(id: string): Uint8Array {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) {
    throw new Error("The id of a user or row is not a UUID, so no key can be derived for it");
  }
  return Buffer.from(id.replaceAll("-", ""), "hex");
}
