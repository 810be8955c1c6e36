import { checkParams, type FieldSpec, type Issue } from "@hub/connector";
import type { ChatEventType } from "./chat-event-type.ts";

/** What is wrong with the filters of a trigger for this event. */
export function checkEventFilters(
  { match: fields }: Pick<ChatEventType, "match">,
  match: Readonly<Record<string, unknown>>,
): Issue[] {
  const values = Object.entries(match).map(([key, value]) => {
    const field = fields.find((one) => one.key === key);
    return [key, field === undefined ? value : toRows(field, value)];
  });
  const { issues } = checkParams(fields, Object.fromEntries(values));
  const { text_contains: text } = match;
  if (typeof text !== "string" || text.length <= searchedCharsMax) return issues;
  const message = `must have at most ${searchedCharsMax} characters`;
  return [...issues, { path: "text_contains", message }];
}

/** A search for a long text can take the square of its length, for each message. */
const searchedCharsMax = 200;

/** A list of ids may be written as plain texts: `["C1"]`. */
function toRows({ widget }: FieldSpec, value: unknown): unknown {
  const column = widget === "picker" ? "id" : widget === "kvlist" ? "value" : null;
  if (column === null) return value;
  const items = typeof value === "string" && !value.trimStart().startsWith("[") ? [value] : value;
  if (!Array.isArray(items)) return items;
  return items.map((item: unknown) =>
    typeof item === "string" || typeof item === "number" ? { [column]: String(item) } : item,
  );
}
