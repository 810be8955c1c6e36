import { partCharsMin } from "./needle-forms.ts";

/** Schemes of an Authorization header, as systems have them. */
const schemes = new Set(
  "basic bearer token apikey api-key key pat oauth digest hawk hmac signature ntlm negotiate geniekey sso-key splunk discogs klaviyo-api-key bot jwt".split(
    " ",
  ),
);

/** Shorter ones after a word or a name that is not known may be a part of any pass phrase. */
const unknownCharsMin = 8;

/**
 * The parts of a secret that are a credential by themselves when it is the value of a header: what
 * follows a scheme (`Token abc`), what follows a name (`session=abc; id=def`), and the password in
 * `Basic …`. Servers echo these without the rest.
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
  // Two words of a pass phrase are no scheme and token: of those, one has a digit or is long.
  else if (/^\S+$/.test(rest) && (/\d/.test(rest) || rest.length >= 16)) add(rest, unknownCharsMin);
  if (scheme.toLowerCase() === "basic") {
    const pair = Buffer.from(rest, "base64").toString("utf8");
    if (pair.includes(":")) add(pair.slice(pair.indexOf(":") + 1), partCharsMin);
  }
  for (const pair of (scheme === "" ? text : rest).split(/[;,&\s]+/)) {
    const [, value = ""] = /^[\w.-]+=(.+)$/.exec(pair) ?? [];
    // Padding of base64 is no value.
    if (/^=*$/.test(value)) continue;
    add(value.replace(/^"(.*)"$/, "$1"), unknownCharsMin);
  }
  return [...parts];
}
