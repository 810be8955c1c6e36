import { HubError } from "../errors.ts";
import { createGcmSiv } from "./gcm-siv.ts";
import type { KeyRing } from "./key-ring.ts";
import { mapJson } from "./map-json.ts";
import {
  formatToken,
  holdsStrayHeader,
  parseToken,
  splitTokens,
  type TextPart,
  toHeaderBytes,
  tokenPrefix,
} from "./token-format.ts";

export { tokenPrefix };

const purpose = "hub-enc-v1";
const tagBytes = 16;
/** Constant, so that equal values have equal tokens; this mode is made to survive it (RFC 8452). */
const nonce = new Uint8Array(12);
/** A leading byte-order mark is part of the value. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The user's token for a text, the same each time. An empty text has none: `bad_request`. */
export function sealValue(ring: KeyRing, userId: string, text: string): string {
  if (text === "") {
    throw new HubError("bad_request", "There is nothing to encrypt: give at least one character.");
  }
  const plaintext = Buffer.from(text, "utf8");
  const user = toUuidBytes(userId);
  const header = toHeaderBytes({
    keyId: ring.sealing.id,
    ciphertextBytes: plaintext.length + tagBytes,
  });
  const key = ring.sealing.derive(purpose, user);
  return formatToken(
    header,
    createGcmSiv(key, nonce, Buffer.concat([header, user])).encrypt(plaintext),
  );
}

/** The plaintext of one whole token, or null when it is not this user's, altered or no token. */
export function findValue(ring: KeyRing, userId: string, token: string): string | null {
  const parts = parseToken(token);
  const key = parts === null ? undefined : ring.keys.get(parts.keyId);
  if (parts === null || key === undefined) return null;
  const user = toUuidBytes(userId);
  const cipher = createGcmSiv(
    key.derive(purpose, user),
    nonce,
    Buffer.concat([parts.header, user]),
  );
  try {
    return utf8.decode(cipher.decrypt(parts.ciphertext));
  } catch {
    // Whatever is wrong with it, there is one answer: more would help a forger only.
    return null;
  }
}

/** The plaintext of one whole token. Throws `token_invalid` when it is anything else. */
export function openValue(ring: KeyRing, userId: string, token: string): string {
  const text = findValue(ring, userId, token);
  if (text === null) throw toTokenInvalid();
  return text;
}

/** Told of every plaintext that was opened, so that it can be masked from then on. */
type OnOpened = (plaintext: string) => void;

/** A text with every token in it opened, whole or embedded. Throws `token_invalid`. */
export function openText(
  ring: KeyRing,
  userId: string,
  text: string,
  onOpened: OnOpened = () => {},
): string {
  return createOpener(ring, userId, onOpened)(text);
}

/** A JSON value with every token in its strings opened, at any depth; keys are left as they are. */
export function openJson(
  ring: KeyRing,
  userId: string,
  value: unknown,
  onOpened: OnOpened = () => {},
): unknown {
  return mapJson(value, { mapText: createOpener(ring, userId, onOpened) });
}

/** Whether opening the text would open, or refuse, anything in it. */
export function holdsToken(ring: KeyRing, text: string): boolean {
  return splitText(ring, text).some(({ kind }) => kind !== "text");
}

/** Each token is opened once: one that is repeated must not cost a megabyte's worth of decrypting. */
function createOpener(ring: KeyRing, userId: string, onOpened: OnOpened) {
  const known = new Map<string, string>();
  const open = (token: string): string => {
    const plaintext = known.get(token) ?? openValue(ring, userId, token);
    if (!known.has(token)) onOpened(plaintext);
    known.set(token, plaintext);
    return plaintext;
  };
  return (text: string): string =>
    splitText(ring, text)
      .map(({ kind, text: part }) => {
        if (kind === "broken") throw toTokenInvalid();
        return kind === "token" ? open(part) : part;
      })
      .join("");
}

function splitText(ring: KeyRing, text: string): TextPart[] {
  const parts: TextPart[] = text.includes(tokenPrefix)
    ? splitTokens(text, ring.keys)
    : [{ kind: "text", text }];
  return parts.map((part) =>
    part.kind === "text" && holdsStrayHeader(part.text, ring.keys)
      ? { kind: "broken", text: part.text }
      : part,
  );
}

function toTokenInvalid(): HubError {
  return new HubError(
    "token_invalid",
    `An encrypted value (${tokenPrefix}…) cannot be opened: it is not this user's, it was altered or cut short, or its key is gone. Pass such values on exactly as they were received; for a fresh one, go to the hub's encrypt page or ask hub_encrypt.`,
  );
}

function toUuidBytes(userId: string): Uint8Array {
  if (!/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(userId)) {
    throw new Error("A user id is not a UUID, so no key can be derived for it");
  }
  return Buffer.from(userId.replaceAll("-", ""), "hex");
}
