export type Matcher = { label: string; operator: "=" | "!=" | "=~" | "!~"; value: string };

/** A query's first stream selector. */
export type Selector = { text: string; matchers: Matcher[] };

const quoted = /"(?:[^"\\]|\\.)*"|`[^`]*`/;
const matcher = new RegExp(`([A-Za-z_][A-Za-z0-9_]*)\\s*(=~|!~|!=|=)\\s*(${quoted.source})`, "g");

/** The selector in a query, also in the middle of a metric query; null where there is none. */
export function findSelector(query: string): Selector | null {
  const place = query.replace(new RegExp(quoted, "g"), (text) => "_".repeat(text.length));
  const from = place.indexOf("{");
  const to = place.indexOf("}", from);
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

/** Whether anything but the selector can leave lines or points out: a pipeline or a comparison. */
export function hasFilters(query: string, { text }: Selector): boolean {
  const rest = query.replace(text, "").replace(new RegExp(quoted, "g"), "");
  return /[|<>]|!=|!~|==/.test(rest);
}

/** A selector of these matchers; of every stream with the label where there are none. */
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
