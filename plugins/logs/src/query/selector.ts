import { findText } from "@hub/connector";

export type Matcher = { label: string; operator: "=" | "!=" | "=~" | "!~"; value: string };

/** The first stream selector of a query. */
export type Selector = { text: string; matchers: Matcher[] };

const quoted = /"(?:[^"\\]|\\.)*"|`[^`]*`/;
const matcher = new RegExp(`([A-Za-z_][A-Za-z0-9_]*)\\s*(=~|!~|!=|=)\\s*(${quoted.source})`, "g");

/** Finds the selector of a query, also inside a metric query; null if there is none. */
export function findSelector(query: string): Selector | null {
  const masked = query.replace(new RegExp(quoted, "g"), (text) => "_".repeat(text.length));
  const from = masked.indexOf("{");
  const to = masked.indexOf("}", from);
  if (from === -1 || to === -1) return null;
  const text = query.slice(from, to + 1);
  const matchers = [...text.matchAll(matcher)].map(
    ([, label = "", operator = "", value = ""]): Matcher => ({
      label,
      operator: toOperator(operator),
      value: unquote(value),
    }),
  );
  return { text, matchers };
}

/** Whether the query has filters besides the selector: a pipeline or a comparison. */
export function hasFilters(query: string, { text }: Selector): boolean {
  const at = findText(query, text);
  const others = at === -1 ? query : query.slice(0, at) + query.slice(at + text.length);
  const rest = others.replace(new RegExp(quoted, "g"), "");
  return /[|<>]|!=|!~|==/.test(rest);
}

/** Writes a selector with these matchers. Without matchers, it matches every stream with the label. */
export function toSelectorText(matchers: readonly Matcher[], anyLabel: string): string {
  if (matchers.length === 0) return `{${anyLabel}=~".+"}`;
  const parts = matchers.map(
    (each) => `${each.label}${each.operator}${JSON.stringify(each.value)}`,
  );
  return `{${parts.join(", ")}}`;
}

function toOperator(text: string): Matcher["operator"] {
  if (text === "!=" || text === "=~" || text === "!~") return text;
  return "=";
}

function unquote(text: string): string {
  const inside = text.slice(1, -1);
  return text.startsWith("`") ? inside : inside.replace(/\\(["\\])/g, "$1");
}
