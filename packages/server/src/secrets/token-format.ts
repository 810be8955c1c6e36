/** What every value token begins with. */
export const tokenPrefix = "hub_enc_";

/** A stretch of text, in UTF-16 code units; `end` is exclusive. */
export type Span = { start: number; end: number };

/** Version 1 opens in every call of its user, version 2 in calls of one row only. */
export type TokenVersion = 1 | 2;

/** The nine bytes before the ciphertext. They are authenticated, so none can be changed. */
export type TokenHeader = { version: TokenVersion; keyId: number; ciphertextBytes: number };

/** A token taken apart; whether it opens is another question. */
export type TokenParts = {
  version: TokenVersion;
  keyId: number;
  header: Uint8Array;
  ciphertext: Uint8Array;
};

/** The keys whose tokens are known here, by id; null is any key. */
export type KnownKeys = ReadonlySet<number> | ReadonlyMap<number, unknown> | null;

/** A part of a text: a token's span, what only looks like a token, or anything else. */
export type TextPart = { kind: "text" | "token" | "broken"; text: string };

const versions: readonly TokenVersion[] = [1, 2];
const headerBytes = 9;
/** Nine bytes are twelve characters exactly, so a header can be read off the text. */
const headerChars = 12;
/** The first of them, which tell the version and nearly all of the key's id. */
const headerStartChars = 6;
/** Nothing is sealed but text of at least one byte; the mode's tag has sixteen. */
const ciphertextBytesMin = 17;
/** The characters of the shortest token after its prefix. */
const bodyCharsMin = toBodyChars(ciphertextBytesMin);

/** The header's bytes. */
export function toHeaderBytes(header: TokenHeader): Uint8Array {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt8(header.version, 0);
  bytes.writeUInt32BE(header.keyId, 1);
  bytes.writeUInt32BE(header.ciphertextBytes, 5);
  return bytes;
}

/** A token's text. */
export function formatToken(header: Uint8Array, ciphertext: Uint8Array): string {
  return tokenPrefix + Buffer.concat([header, ciphertext]).toString("base64url");
}

/** Takes a whole token apart; null when the text is anything but one token in its one spelling. */
export function parseToken(token: string): TokenParts | null {
  if (!token.startsWith(tokenPrefix)) return null;
  if (findTokenEnd(token, 0, createRunFinder(token)) !== token.length) return null;
  const body = token.slice(tokenPrefix.length);
  const bytes = Buffer.from(body, "base64url");
  // A last character with stray bits would give one value several tokens.
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

/**
 * Where tokens seem to stand in a text: a prefix and a header whose length fits what follows.
 * Spans may overlap, since a forged one can be laid around a real one. For cutting a sealed text:
 * never cut inside one of these.
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
 * The last place at or before `end` that is inside no token. Half a token opens nothing, and a model
 * would pass it on all the same.
 */
export function stepOutOfTokens(text: string, end: number): number {
  let outside = end;
  // Longer tokens would not fit before the cut either, so what follows is not read without end.
  const around = text.slice(0, end * 4 + 1024);
  // Forged tokens may be laid around real ones, so a step back can land in another: seen from the
  // end, each is met once.
  for (const span of findTokenSpans(around).reverse()) {
    if (span.start < outside && span.end > outside) outside = span.start;
  }
  return outside;
}

/**
 * Splits a text into tokens and the text around them. What must once have been a token is `broken`:
 * a truncated or altered one has to fail loudly, while prose about tokens is left alone.
 *
 * A token ends where its header says, so whatever is put behind one is text behind a token, be it
 * letters of the same alphabet (`hub_enc_…-prod`): it opens, and the text stays. What is put in
 * front is text as well. Only as a whole, by `parseToken`, is an extended token none.
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
    // A run ends where another prefix begins: a real token may follow straight upon prose.
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
 * A check for the header of a token in a text without tokens: its prefix was altered or left off.
 * No prose has nine such bytes by chance.
 */
export function createStrayHeaderCheck(
  keys: ReadonlyMap<number, unknown>,
): (text: string) => boolean {
  const starts = [...keys.keys()].flatMap((keyId) =>
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
  return (text) =>
    text.length >= headerChars &&
    starts.some(({ keyId, headerStart }) => holds(text, keyId, headerStart));
}

/** The end of the token whose prefix is at `start`, by its own header; null when there is none. */
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

/** The header whose twelve characters are at `start`; null when there is none. */
function readHeader(text: string, start: number): TokenHeader | null {
  // Before anything else: a forged text can hold half a million prefixes.
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
 * Where the run of token characters around a position ends. Positions are asked for in rising
 * order, and a run is walked once, however many forged prefixes it holds.
 */
function createRunFinder(text: string): (from: number) => number {
  let end = 0;
  return (from) => {
    if (from < end) return end;
    end = from;
    while (end < text.length && isTokenChar(text.charCodeAt(end))) end += 1;
    return end;
  };
}

/** Tells a truncated or altered token from prose. */
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

/** Versions below four begin with six zero bits. */
const firstHeaderChar = "A".charCodeAt(0);

/** The value of each base64url character by its code, -1 for other codes. */
const sextets = new Int8Array(128).fill(-1);
for (const [value, char] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
].entries()) {
  sextets[char.charCodeAt(0)] = value;
}

/** How tokens of a key begin behind their prefix, one for each version. */
function listHeaderStarts(keyId: number): string[] {
  return versions.map((version) => {
    const header = toHeaderBytes({ version, keyId, ciphertextBytes: 0 });
    return Buffer.from(header).toString("base64url").slice(0, headerStartChars);
  });
}

function toBodyChars(ciphertextBytes: number): number {
  return Math.ceil(((headerBytes + ciphertextBytes) * 8) / 6);
}

function isTokenChar(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d
  );
}
