import { toEchoes } from "./echoes-of.ts";

/** As much of a token as is left where a text was cut. */
const partChars = 16;

/** The forms of a secret, each as the bytes that it would have in a file, by what they are called. */
export function toSecretForms(secret: string): Record<string, Buffer> {
  const texts: Record<string, string> = {
    hex: Buffer.from(secret).toString("hex"),
    "hex in capitals": Buffer.from(secret).toString("hex").toUpperCase(),
    "percent-encoded throughout": Buffer.from(secret).toString("hex").replace(/../g, "%$&"),
    "HTML-escaped": Bun.escapeHTML(secret),
    "unicode-escaped": secret.replace(/[^\w]/g, toUnicodeEscape),
  };
  toEchoes(secret).forEach((echo, index) => {
    texts[index === 0 ? "plain" : `echo ${index}`] = echo;
  });
  const forms = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]);
  return { ...Object.fromEntries(forms), ...toRawForms(secret) };
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A random token is the text of bytes, which could be kept as such, or could be cut. */
function toRawForms(secret: string): Record<string, Buffer> {
  const body = secret.replace(/^hub_[a-z]+_/, "");
  if (!/^[\w-]{22,}$/.test(body)) return {};
  const encoding = /^[0-9a-f]{32,}$/.test(body) ? "hex" : "base64url";
  return {
    "its bytes": Buffer.from(body, encoding),
    "its beginning": Buffer.from(body.slice(0, partChars)),
    "its end": Buffer.from(body.slice(-partChars)),
  };
}

/** Which forms of which secrets are in these bytes. */
export function findSecrets(bytes: Uint8Array, secrets: ReadonlySet<string>): string[] {
  const text = Buffer.from(bytes).toString("latin1");
  return [...secrets].flatMap((secret) =>
    Object.entries(toSecretForms(secret))
      .filter(([, form]) => text.includes(form.toString("latin1")))
      .map(([name]) => `${secret}, ${name}`),
  );
}
