/** The prefix of every value token. */
export const tokenPrefix = "hub_enc_";

/** A part of a text, in UTF-16 code units; `end` is exclusive. */
export type Span = { start: number; end: number };

/** Version 1 opens in all calls of its user, version 2 only in calls of one row. */
export type TokenVersion = 1 | 2;

/** The nine bytes before the ciphertext. They are authenticated, so they cannot be changed. */
export type TokenHeader = { version: TokenVersion; keyId: number; ciphertextBytes: number };

/** The parts of a token. It may still be fake. */
export type TokenParts = {
  version: TokenVersion;
  keyId: number;
  header: Uint8Array;
  ciphertext: Uint8Array;
};

/** The ids of the known keys; null means any key. */
export type KnownKeys = ReadonlySet<number> | ReadonlyMap<number, unknown> | null;

/** A part of a text: a token, a broken token, or other text. */
export type TextPart = { kind: "text" | "token" | "broken"; text: string };

const versions: readonly TokenVersion[] = [1, 2];
const headerBytes = 9;
/** Nine bytes are exactly twelve characters, so the header can be decoded alone. */
const headerChars = 12;
/** The first six characters contain the version and nearly all of the key id. */
const headerStartChars = 6;
/** A sealed text has at least one byte, and the authentication tag has sixteen. */
const ciphertextBytesMin = 17;
/** The length of the shortest token without its prefix. */
const bodyCharsMin = toBodyChars(ciphertextBytesMin);

/** Encodes a header. */
export function toHeaderBytes(header: TokenHeader): Uint8Array {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt8(header.version, 0);
  bytes.writeUInt32BE(header.keyId, 1);
  bytes.writeUInt32BE(header.ciphertextBytes, 5);
  return bytes;
}

/** Formats a token as text. */
export function formatToken(header: Uint8Array, ciphertext: Uint8Array): string {
  return tokenPrefix + Buffer.concat([header, ciphertext]).toString("base64url");
}

/** Parses a text that is exactly one token in canonical form; otherwise returns null. */
export function parseToken(token: string): TokenParts | null {
  if (!token.startsWith(tokenPrefix)) return null;
  if (findTokenEnd(token, 0, createRunFinder(token)) !== token.length) return null;
  const body = token.slice(tokenPrefix.length);
  const bytes = Buffer.from(body, "base64url");
  // Extra bits in the last character would give one value several tokens.
  if (bytes.toString("base64url") !== body) return null;
  const header = readHeader(token, tokenPrefix.length);
  if (header === null) return null;
  return {
    version: header.version,
    keyId: header.keyId,
    header: bytes.subarray(0, headerBytes),
    ciphertext: bytes.subarray(headerBytes),
  };
}

/** Whether a token opens only in calls of one row. It may still be fake. */
export function isBoundToken(token: string): boolean {
  return token.startsWith(tokenPrefix) && readHeader(token, tokenPrefix.length)?.version === 2;
}

/**
 * The spans of all tokens in a text, genuine or fake: a prefix and a header with a length that
 * fits. Spans may overlap, because a fake token can enclose a genuine one. A sealed text must not
 * be cut inside a span.
 */
export function findTokenSpans(text: string): Span[] {
  const spans: Span[] = [];
  const findRunEnd = createRunFinder(text);
  let start = text.indexOf(tokenPrefix);
  while (start !== -1) {
    const end = findTokenEnd(text, start, findRunEnd);
    if (end !== null) spans.push({ start, end });
    start = text.indexOf(tokenPrefix, start + tokenPrefix.length);
  }
  return spans;
}

/**
 * The last index up to `end` that is not inside a token. A part of a token cannot be opened, but a
 * model would still pass it on.
 */
export function stepOutOfTokens(text: string, end: number): number {
  let outside = end;
  // A longer token would not fit before the cut, so the search ahead is limited.
  const around = text.slice(0, end * 4 + 1024);
  // Fake tokens can overlap others, so one step back can end inside another token. In reverse
  // order, each token is checked once.
  for (const span of findTokenSpans(around).reverse()) {
    if (span.start < outside && span.end > outside) outside = span.start;
  }
  return outside;
}

/**
 * Splits a text into tokens and the text around them. A truncated or altered token is `broken`, so
 * that it causes an error. Text that only mentions tokens is not changed.
 *
 * A token ends where its header says, so characters behind or before it are text, even if a token
 * could contain them (`hub_enc_…-prod`). `parseToken` is stricter: it refuses a token with text
 * around it.
 */
export function splitTokens(text: string, keys: KnownKeys): TextPart[] {
  const parts: TextPart[] = [];
  const findRunEnd = createRunFinder(text);
  const wasToken = createBrokenCheck(text, keys);
  let copied = 0;
  let start = text.indexOf(tokenPrefix);
  while (start !== -1) {
    const tokenEnd = findTokenEnd(text, start, findRunEnd);
    const next = text.indexOf(tokenPrefix, tokenEnd ?? start + tokenPrefix.length);
    // A run also ends at the next prefix, because a genuine token may directly follow other text.
    const runEnd = findRunEnd(start);
    const end = tokenEnd ?? (next === -1 ? runEnd : Math.min(runEnd, next));
    const isBroken = tokenEnd === null && wasToken({ start, end });
    if (tokenEnd !== null || isBroken) {
      if (start > copied) parts.push({ kind: "text", text: text.slice(copied, start) });
      parts.push({ kind: isBroken ? "broken" : "token", text: text.slice(start, end) });
      copied = end;
    }
    start = next;
  }
  if (copied < text.length) parts.push({ kind: "text", text: text.slice(copied) });
  return parts;
}

/**
 * Checks whether a text without tokens contains the header of a token whose prefix was altered or
 * removed. These nine bytes do not occur in text by chance.
 */
export function createBareHeaderCheck(
  keys: ReadonlyMap<number, unknown>,
): (text: string) => boolean {
  let starts: Array<{ keyId: number; headerStart: string }> | null = null;
  const listStarts = () =>
    [...keys.keys()].flatMap((keyId) =>
      listHeaderStarts(keyId).map((headerStart) => ({ keyId, headerStart })),
    );
  const holds = (text: string, keyId: number, headerStart: string): boolean => {
    let start = text.indexOf(headerStart);
    while (start !== -1) {
      const header = readHeader(text, start);
      if (header?.keyId === keyId && header.ciphertextBytes < 2 ** 24) return true;
      start = text.indexOf(headerStart, start + 1);
    }
    return false;
  };
  return (text) => {
    // Most texts are too short, or lack the character that every header begins with.
    if (text.length < headerChars || !text.includes(firstHeaderText)) return false;
    starts ??= listStarts();
    return starts.some(({ keyId, headerStart }) => holds(text, keyId, headerStart));
  };
}

/**
 * The end of the token whose prefix starts at `start`, by its header; null if there is no token.
 */
function findTokenEnd(
  text: string,
  start: number,
  findRunEnd: (from: number) => number,
): number | null {
  const header = readHeader(text, start + tokenPrefix.length);
  if (header === null || header.ciphertextBytes < ciphertextBytesMin) return null;
  const end = start + tokenPrefix.length + toBodyChars(header.ciphertextBytes);
  return end <= findRunEnd(start) ? end : null;
}

/** The header whose twelve characters start at `start`; null if there is none. */
function readHeader(text: string, start: number): TokenHeader | null {
  // A cheap check first, because an attacker's text can contain half a million prefixes.
  if (text.charCodeAt(start) !== firstHeaderChar) return null;
  // Two halves of 36 bits each: numbers are exact up to 53 bits.
  let high = 0;
  let low = 0;
  for (let at = 0; at < headerChars; at += 1) {
    const sextet = sextets[text.charCodeAt(start + at)] ?? -1;
    if (sextet === -1) return null;
    if (at < headerChars / 2) high = high * 64 + sextet;
    else low = low * 64 + sextet;
  }
  const version = versions.find((known) => known === Math.floor(high / 2 ** 28));
  if (version === undefined) return null;
  const keyId = (high % 2 ** 28) * 16 + Math.floor(low / 2 ** 32);
  return { version, keyId, ciphertextBytes: low % 2 ** 32 };
}

/**
 * Finds the end of the token characters around an index. Indexes must increase, so each run is read
 * once, however many fake prefixes it contains.
 */
function createRunFinder(text: string): (from: number) => number {
  let end = 0;
  return (from) => {
    if (from < end) return end;
    // The engine reads a run several times faster than a loop.
    tokenChars.lastIndex = from;
    tokenChars.test(text);
    end = tokenChars.lastIndex;
    return end;
  };
}

const tokenChars = /[\w-]*/y;

/** Distinguishes a truncated or altered token from text that mentions tokens. */
function createBrokenCheck(text: string, keys: KnownKeys): (run: Span) => boolean {
  let starts: ReadonlySet<string> | null = null;
  return ({ start, end }) => {
    if (end - start === text.length) return true;
    if (end - start >= tokenPrefix.length + bodyCharsMin) return true;
    const body = start + tokenPrefix.length;
    if (end - body < headerStartChars || text.charCodeAt(body) !== firstHeaderChar) return false;
    if (keys === null) return end - body >= headerChars && readHeader(text, body) !== null;
    starts ??= new Set([...keys.keys()].flatMap(listHeaderStarts));
    return starts.has(text.slice(body, body + headerStartChars));
  };
}

/** The first six bits of the versions below four are zero. */
const firstHeaderText = "A";
const firstHeaderChar = firstHeaderText.charCodeAt(0);

/** The value of each base64url character by its code, -1 for other codes. */
const sextets = new Int8Array(128).fill(-1);
for (const [value, char] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
].entries()) {
  sextets[char.charCodeAt(0)] = value;
}

/** The characters after the prefix in tokens of a key, for each version. */
function listHeaderStarts(keyId: number): string[] {
  return versions.map((version) => {
    const header = toHeaderBytes({ version, keyId, ciphertextBytes: 0 });
    return Buffer.from(header).toString("base64url").slice(0, headerStartChars);
  });
}

function toBodyChars(ciphertextBytes: number): number {
  return Math.ceil(((headerBytes + ciphertextBytes) * 8) / 6);
}
