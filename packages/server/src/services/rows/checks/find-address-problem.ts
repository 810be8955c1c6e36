import type { FieldSpec } from "@hub/connector";

/**
 * Why an address must not be saved; null if it may be. Everyone who sees the row's settings can
 * read addresses, so credentials belong into the connector's secret fields, which the problem
 * names.
 */
export function findAddressProblem(
  fields: readonly FieldSpec[],
  field: FieldSpec,
  text: string,
): string | null {
  if (field.widget !== "url" || field.secret || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") {
    const advice = suggestFields(fields, ["username", "password"]);
    return `must not contain a user name or password${advice}`;
  }
  // Other addresses, such as that of a webhook, may need one.
  if (field.key !== "base_url" || url.search === "") return null;
  const advice = suggestFields(fields, ["default_query", "query_name", "query_value"]);
  return `must not contain a query string${advice}`;
}

/** The wanted fields if the connector has them, else its secret fields. */
function suggestFields(fields: readonly FieldSpec[], wanted: readonly string[]): string {
  const own = fields.filter(({ key }) => wanted.includes(key));
  const names = (own.length > 0 ? own : fields.filter(({ secret }) => secret)).map(nameField);
  if (names.length === 0) return "";
  const list =
    names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return `; use ${list} instead`;
}

function nameField({ key, visibleWhen }: FieldSpec): string {
  if (visibleWhen === undefined) return key;
  return `${key} (with ${visibleWhen.field}=${visibleWhen.values.join("|")})`;
}
