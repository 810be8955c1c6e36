import { isUtf8 } from "node:buffer";
import { partCharsMin } from "./needle-forms.ts";

/** Common schemes of the Authorization header. */
const schemes = new Set(
  "basic bearer token apikey api-key key pat oauth digest hawk hmac signature ntlm negotiate geniekey sso-key splunk discogs klaviyo-api-key bot jwt".split(
    " ",
  ),
);

/** After an unknown scheme or name, a shorter text may be a part of a normal passphrase. */
const unknownCharsMin = 8;

/**
 * The parts of a header value that are credentials by themselves: the text after a scheme (`Token
 * abc`), the values after names (`session=abc; id=def`), and the password in `Basic …`. Servers
 * return these without the rest.
 */
export function listCredentialParts(secret: string): string[] {
  const text = secret.trim();
  const parts = new Set<string>();
  const add = (part: string, charsMin: number) => {
    if (part.length >= charsMin && part !== text) parts.add(part);
  };
  const [, scheme = "", rest = ""] = /^([A-Za-z][\w-]*)[ \t]+(\S.*)$/s.exec(text) ?? [];
  const isKnown = schemes.has(scheme.toLowerCase());
  if (isKnown) add(rest, partCharsMin);
  // A passphrase of two words is not a scheme and a token. A token has a digit or is long.
  else if (/^\S+$/.test(rest) && (/\d/.test(rest) || rest.length >= 16)) add(rest, unknownCharsMin);
  if (scheme.toLowerCase() === "basic") {
    const pair = Buffer.from(rest, "base64").toString("utf8");
    if (pair.includes(":")) add(pair.slice(pair.indexOf(":") + 1), partCharsMin);
  }
  for (const pair of (scheme === "" ? text : rest).split(/[;,&\s]+/)) {
    const [, value = ""] = /^[\w.-]+=(.+)$/.exec(pair) ?? [];
    // Base64 padding is not a value.
    if (/^=*$/.test(value)) continue;
    add(value.replace(/^"(.*)"$/, "$1"), unknownCharsMin);
  }
  return [...parts];
}

/** Shorter texts are often words that are base64 by chance. */
const base64CharsMin = 16;
/** Longer ones are not decoded here. */
const base64CharsMax = 64 * 1024;

/** The text that a secret is the base64 of; null if it is none. A server that gets bytes can answer with it. */
export function findBase64Text(secret: string): string | null {
  const text = secret.trim();
  if (text.length < base64CharsMin || text.length > base64CharsMax || text.length % 4 !== 0) {
    return null;
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  return isUtf8(bytes) && bytes.toString("base64") === text ? bytes.toString("utf8") : null;
}
