import type { KeyRing } from "../key-ring.ts";
import { mapJson } from "../map-json.ts";
import { findTokenSpans } from "../token-format.ts";
import { findValue, type TokenOwner } from "../value-tokens.ts";

/** Reads tokens that open for one user in calls of one row. Each is opened once: that is what is dear. */
export type TokenReader = {
  /** The plaintext of a token, or null when it opens to nothing. */
  find(token: string): string | null;
  /** The tokens that open in a text, and what is around them. */
  split(text: string): TextPart[];
  openText(text: string): string;
  /** With the tokens of its keys and strings opened. */
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
