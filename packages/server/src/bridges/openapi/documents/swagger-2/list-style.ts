type Part = Record<string, unknown>;

export type ListStyle = { style: string; explode: boolean };

/** `tabDelimited` is no style of OpenAPI 3. There, the others are styles of a query alone. */
const separated: Record<string, string> = {
  ssv: "spaceDelimited",
  tsv: "tabDelimited",
  pipes: "pipeDelimited",
};

/** How a list is sent, by its `collectionFormat`; null for what is no list. Without one, its items are separated by commas. */
export function toListStyle({ type, in: place, collectionFormat }: Part): ListStyle | null {
  if (type !== "array") return null;
  const isInPairs = place === "query" || place === "formData";
  const format = String(collectionFormat);
  if (format === "multi" && isInPairs) return { style: "form", explode: true };
  const style = Object.hasOwn(separated, format) ? separated[format] : undefined;
  return { style: style ?? (isInPairs ? "form" : "simple"), explode: false };
}
