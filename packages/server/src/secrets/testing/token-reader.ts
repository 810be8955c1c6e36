import type { KeyRing } from "../keys/key-ring.ts";
import { mapJson } from "../masks/map-json.ts";
import { findTokenSpans } from "../value-tokens/token-format.ts";
import { findValue, type TokenOwner } from "../value-tokens/value-tokens.ts";

/** Opens tokens for one user in calls of one row. It caches results, because opening is slow. */
export type TokenReader = {
  /** The plaintext of a token; null if it does not open. */
  find(token: string): string | null;
  /** The tokens in a text that open, and the text around them. */
  split(text: string): TextPart[];
  openText(text: string): string;
  /** Opens the tokens in keys and strings. */
  openJson(value: unknown): unknown;
};

type TextPart = { kind: "text" | "token"; text: string };

export function createTokenReader({ ring, ...owner }: { ring: KeyRing } & TokenOwner): TokenReader {
  const known = new Map<string, string | null>();

  function find(token: string): string | null {
    const before = known.get(token);
    if (before !== undefined) return before;
    const text = findValue(ring, owner, token);
    known.set(token, text);
    return text;
  }

  function split(text: string): TextPart[] {
    const parts: TextPart[] = [];
    let copied = 0;
    for (const { start, end } of findTokenSpans(text)) {
      if (start < copied || find(text.slice(start, end)) === null) continue;
      parts.push({ kind: "text", text: text.slice(copied, start) });
      parts.push({ kind: "token", text: text.slice(start, end) });
      copied = end;
    }
    return [...parts, { kind: "text", text: text.slice(copied) }];
  }

  const openText = (text: string) =>
    split(text)
      .map(({ kind, text: part }) => (kind === "token" ? find(part) : part))
      .join("");

  return {
    find,
    split,
    openText,
    openJson: (value) => mapJson(value, { mapText: openText, mapKey: openText }),
  };
}
