/** Replaces `.Node.<before>` inside the templates of a value, at any depth. */
export function renameInTemplates(value: unknown, before: string, id: string): unknown {
  if (typeof value === "string") {
    return value.includes("{{") ? renameInText(value, before, id) : value;
  }
  if (Array.isArray(value)) return value.map((one) => renameInTemplates(one, before, id));
  // Exact numbers and other objects with a class stay as they are.
  if (
    typeof value !== "object" ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype
  ) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, renameInTemplates(one, before, id)]),
  );
}

function renameInText(text: string, before: string, id: string): string {
  const reading = new RegExp(`(\\.Node\\.)${before}(?![a-zA-Z0-9_])`, "g");
  return text.replace(/\{\{[\s\S]*?\}\}/g, (action) => action.replace(reading, `$1${id}`));
}
