import { type ValuePath, writeExpression, writeScript } from "./write-expression.ts";

/** What a text is: one template, JSON whose texts are templates, or a program. */
export type TextKind = "template" | "json" | "script";

type Selected = { text: string; start: number; end: number };

/** Replaces the part between `from` and `to`. */
export type Insertion = { from: number; to: number; insert: string };

/**
 * How a value gets into a text where the selection is: within an expression as a part of it, within a text
 * of JSON with its quotes escaped, and elsewhere in JSON in quotes of its own. Null if it cannot be read there.
 */
export function insertValue(selected: Selected, path: ValuePath, kind: TextKind): Insertion | null {
  const { text, start: from, end: to } = selected;
  if (kind === "script") {
    const insert = writeScript(path);
    return insert === null ? null : { from, to, insert };
  }
  const { text: expression, isCall } = writeExpression(path);
  const before = text.slice(0, from);
  const isInside = before.lastIndexOf("{{") > before.lastIndexOf("}}");
  const part = isInside ? (isCall ? `(${expression})` : expression) : `{{${expression}}}`;
  if (kind === "template" || isTemplate(text)) return { from, to, insert: part };
  if (isInsideQuotes(before)) return { from, to, insert: JSON.stringify(part).slice(1, -1) };
  return { from, to, insert: text.trim() === "" ? part : JSON.stringify(part) };
}

/** A field of JSON may be one template instead. */
function isTemplate(text: string): boolean {
  return text.trimStart().startsWith("{{");
}

function isInsideQuotes(json: string): boolean {
  let isInside = false;
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === "\\" && isInside) at += 1;
    else if (json[at] === '"') isInside = !isInside;
  }
  return isInside;
}
