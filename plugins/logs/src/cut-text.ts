import type { RowConfig } from "./config-fields.ts";

/**
 * The beginning of a text, up to so many characters, whole characters only. Where the cut would go
 * through one of the row's secrets, which the host may echo in any encoding, it is made before it:
 * half a secret is one that no mask finds.
 */
export function cutText(config: RowConfig, text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  let end = /[\uD800-\uDBFF]/.test(text.charAt(charsMax - 1)) ? charsMax - 1 : charsMax;
  for (const form of listSecretForms(config)) {
    const at = text.indexOf(form, Math.max(0, end - form.length + 1));
    if (at !== -1 && at < end) end = at;
  }
  return text.slice(0, end);
}

/** Longest first: the pair that is sent as basic authentication holds the password. */
function listSecretForms({ Username = "", Password = "", Token = "" }: RowConfig): string[] {
  const secrets = [Password, Token].flatMap((secret) => [secret, secret.trim()]);
  const forms = [...secrets, `${Username}:${Password}`].flatMap((secret) => [
    secret,
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("base64url"),
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
  ]);
  const known = [Password, Token].some((secret) => secret !== "") ? new Set(forms) : [];
  return [...known].filter((form) => form.length > 2).sort((a, b) => b.length - a.length);
}
