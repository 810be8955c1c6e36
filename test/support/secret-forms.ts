import { toEncodings } from "./secret-encodings.ts";

/** The length of the part of a token that a cut leaves. */
const partChars = 16;

/** The encodings of a secret as bytes in a file, by name. */
export function toSecretForms(secret: string): Record<string, Buffer> {
  const texts: Record<string, string> = {
    hex: Buffer.from(secret).toString("hex"),
    "hex in capitals": Buffer.from(secret).toString("hex").toUpperCase(),
    "percent-encoded throughout": Buffer.from(secret).toString("hex").replace(/../g, "%$&"),
    "HTML-escaped": Bun.escapeHTML(secret),
    "unicode-escaped": secret.replace(/[^\w]/g, toUnicodeEscape),
  };
  toEncodings(secret).forEach((echo, index) => {
    texts[index === 0 ? "plain" : `echo ${index}`] = echo;
  });
  const forms = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]);
  return { ...Object.fromEntries(forms), ...toRawForms(secret) };
}

function toUnicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The raw bytes of a random token, and its first and last characters. */
function toRawForms(secret: string): Record<string, Buffer> {
  const body = secret.replace(/^hub_[a-z]+_/, "");
  if (!/^[\w-]{22,}$/.test(body)) return {};
  const encoding = /^[0-9a-f]{32,}$/.test(body) ? "hex" : "base64url";
  return {
    "its bytes": Buffer.from(body, encoding),
    "its first characters": Buffer.from(body.slice(0, partChars)),
    "its last characters": Buffer.from(body.slice(-partChars)),
  };
}

/** Finds secrets in any encoding in these bytes. */
export function findSecrets(bytes: Uint8Array, secrets: ReadonlySet<string>): string[] {
  const text = Buffer.from(bytes).toString("latin1");
  return [...secrets].flatMap((secret) =>
    findSearchedForms(secret)
      .filter(([, form]) => text.includes(form))
      .map(([name]) => `${secret}, ${name}`),
  );
}

/** The forms by secret: one test searches thousands of texts for the same secrets. */
const searchedForms = new Map<string, [name: string, form: string][]>();

function findSearchedForms(secret: string): [name: string, form: string][] {
  const known = searchedForms.get(secret);
  if (known !== undefined) return known;
  const forms = Object.entries(toSecretForms(secret)).map(([name, form]): [string, string] => [
    name,
    form.toString("latin1"),
  ]);
  searchedForms.set(secret, forms);
  return forms;
}
