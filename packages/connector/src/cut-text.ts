import { findText } from "./text-search.ts";

/**
 * The first `charsMax` characters of a text, cut between characters. If the cut would split one of
 * the secrets, it is made before the secret, because a mask does not find half a secret. Use it
 * wherever a connector shortens text of the outside system, which may contain a credential as it
 * is, in JSON, in a URL, in hex or in base64.
 *
 * @example
 * const said = cutText(body.message, 1000, [config.Token]);
 */
export function cutText(text: string, charsMax: number, secrets: readonly string[]): string {
  if (text.length <= charsMax) return text;
  const forms = [...new Set(secrets.flatMap(listForms))].filter((form) => form.length >= charsMin);
  let end = /[\uD800-\uDBFF]/.test(text.charAt(charsMax - 1)) ? charsMax - 1 : charsMax;
  // The new position may be inside another echo.
  for (let next = stepBack(text, end, forms); next < end; next = stepBack(text, end, forms)) {
    end = next;
  }
  return text.slice(0, end);
}

/** Shorter secrets are masked as whole values only. */
const charsMin = 4;

function stepBack(text: string, end: number, forms: readonly string[]): number {
  const starts = forms.map((form) => {
    // A form that the cut splits lies around it, however long the text is.
    const from = Math.max(0, end - form.length + 1);
    const found = findText(text.slice(from, end + form.length - 1), form);
    return found === -1 ? end : from + found;
  });
  return Math.min(end, ...starts);
}

function listForms(secret: string): string[] {
  return [secret, secret.trim()].flatMap((each) => {
    const bytes = Buffer.from(each);
    const hex = bytes.toString("hex");
    const texts = [
      each,
      JSON.stringify(each).slice(1, -1),
      encodeURIComponent(each.toWellFormed()),
    ];
    return [...texts, hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((at) => listBase64(bytes, at))];
  });
}

/**
 * The base64 characters that depend only on these bytes, if they start `at` bytes after a multiple
 * of three.
 */
function listBase64(bytes: Buffer, at: number): string[] {
  const shifted = Buffer.concat([Buffer.alloc(at), bytes]);
  const from = Math.ceil((at * 4) / 3);
  const to = Math.floor((shifted.length * 4) / 3);
  return [
    shifted.toString("base64").slice(from, to),
    shifted.toString("base64url").slice(from, to),
  ];
}
