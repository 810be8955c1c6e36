import { HubError } from "../errors.ts";
import { createGcmSiv } from "./gcm-siv.ts";
import type { KeyRing, RingKey } from "./key-ring.ts";
import { mapJson } from "./map-json.ts";
import {
  createStrayHeaderCheck,
  formatToken,
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
/** Constant, so that equal values have equal tokens; this mode is made to survive it (RFC 8452). */
const nonce = new Uint8Array(12);
/** A leading byte-order mark is part of the value. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whose token it is: of a user and, where it stands for a secret of a row, of that row. */
export type TokenOwner = {
  userId: string;
  /** Null for a value of the user's own, which opens in every call of this user. */
  rowId: string | null;
};

/** The owner's token for a text, the same each time. An empty text has none: `bad_request`. */
export function sealValue(ring: KeyRing, owner: TokenOwner, text: string): string {
  if (text === "") {
    throw new HubError("bad_request", "There is nothing to encrypt: give at least one character.");
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
 * The plaintext of one whole token, or null when it is not this user's, altered or no token. One
 * that is bound to a row opens for its row only, one of the user's own for every row.
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
    // Whatever is wrong with it, there is one answer: more would help a forger only.
    return null;
  }
}

/** The plaintext of one whole token. Throws `token_invalid` when it is anything else. */
export function openValue(ring: KeyRing, owner: TokenOwner, token: string): string {
  const text = findValue(ring, owner, token);
  if (text === null) throw toTokenInvalid(token);
  return text;
}

/** Gets every plaintext that was opened, so that it can be masked from then on. */
type OnOpened = (plaintext: string, of: { ofRow: boolean }) => void;

/** A text with its tokens opened; `ofRow` when one of them was bound to the row. */
export type OpenedText = { text: string; ofRow: boolean };

/** A text with every token in it opened, whole or embedded. Throws `token_invalid`. */
export function openText(ring: KeyRing, owner: TokenOwner, text: string): string {
  return createOpener(ring, owner)(text).text;
}

/** A JSON value with every token in its strings opened, at any depth; keys are left as they are. */
export function openJson(
  ring: KeyRing,
  owner: TokenOwner,
  value: unknown,
  onOpened: OnOpened = () => {},
): unknown {
  const open = createOpener(ring, owner, onOpened);
  return mapJson(value, { mapText: (text) => open(text).text });
}

/** Whether opening the text would open, or refuse, anything in it. */
export function containsToken(ring: KeyRing, text: string): boolean {
  return splitText(ring, text).some(({ kind }) => kind !== "text");
}

/**
 * Opens the texts of one call. Each token is opened once: one that is repeated must not cost a
 * megabyte's worth of decrypting.
 */
export function createOpener(
  ring: KeyRing,
  owner: TokenOwner,
  onOpened: OnOpened = () => {},
): (text: string, kind?: TextKind) => OpenedText {
  const known = new Map<string, OpenedText>();
  const open = (token: string): OpenedText => {
    const before = known.get(token);
    if (before !== undefined) return before;
    const opened = {
      text: openValue(ring, owner, token),
      ofRow: parseToken(token)?.version === 2,
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
  const holdsStrayHeader = createStrayHeaderCheck(ring.keys);
  return parts.map((part) =>
    part.kind === "text" && holdsStrayHeader(part.text)
      ? { kind: "broken", text: part.text }
      : part,
  );
}

function toTokenInvalid(token: string): HubError {
  const start = `An encrypted value (${tokenPrefix}…) cannot be opened`;
  return parseToken(token)?.version === 2
    ? new HubError(
        "token_invalid",
        `${start} here: it stands for a secret of a row and works only there, in calls of the user who received it. Pass it on exactly as it was received, to the row that it came from. Another row needs the secret in its own configuration: ask an admin.`,
      )
    : new HubError(
        "token_invalid",
        `${start}: it is not this user's, it was altered or cut short, or its key is gone. Pass such values on exactly as they were received; for a fresh one, go to the hub's encrypt page or ask hub_encrypt.`,
      );
}

/** Version 2 has the row in what is authenticated, beside the user: for another row it is altered. */
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
