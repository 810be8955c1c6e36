import type { Json } from "@hub/connector";
import { containsText } from "@hub/connector";
import { type ChatFilter, chatFilters } from "./chat-event-type.ts";

/** The filters of a trigger, ready to be compared with events. Null is no filter. */
export type EventFilters = {
  /** By the member of the payload that must be in the list. */
  lists: ReadonlyArray<{ member: string; values: ReadonlySet<string> }>;
  /** In lower case. */
  text: string | null;
  command: string | null;
  includesBots: boolean;
  includesSelf: boolean;
};

/** An event with what filters compare it with. */
export type ComparedEvent = {
  from: "person" | "self" | "bot";
  payload: { readonly [key: string]: Json };
  /** In lower case, so that it is made once for all triggers. */
  text: string;
  command: string;
};

const listFilters = ["channel_ids", "users", "action_ids", "callback_ids"] as const;

/** Reads the `match` of a trigger. What it does not know is no filter. */
export function readFilters(match: unknown): EventFilters {
  const read = (filter: ChatFilter): unknown =>
    typeof match === "object" && match !== null && Object.hasOwn(match, filter)
      ? (match as Record<string, unknown>)[filter]
      : undefined;
  const toLower = (value: unknown) =>
    typeof value === "string" && value.trim() !== "" ? value.toLowerCase() : null;
  const command = toLower(read("command"));
  return {
    lists: listFilters.flatMap((filter) => {
      const values = new Set(listTexts(read(filter)));
      return values.size === 0 ? [] : [{ member: chatFilters[filter], values }];
    }),
    text: toLower(read("text_contains")),
    command: command && toCommand(command),
    includesBots: isOn(read("include_bots")),
    includesSelf: isOn(read("include_self")),
  };
}

export function toCompared(
  from: ComparedEvent["from"],
  payload: ComparedEvent["payload"],
): ComparedEvent {
  const toText = (value: Json | undefined) => (typeof value === "string" ? value : "");
  const { text, command } = payload;
  return {
    from,
    payload,
    text: toText(text).toLowerCase(),
    command: toCommand(toText(command).toLowerCase()),
  };
}

/** Whether the event is one that the trigger asks for. */
export function matchesFilters(filters: EventFilters, event: ComparedEvent): boolean {
  if (event.from === "bot" && !filters.includesBots) return false;
  if (event.from === "self" && !filters.includesSelf) return false;
  if (filters.command !== null && filters.command !== event.command) return false;
  for (const { member, values } of filters.lists) {
    const value = event.payload[member];
    if (typeof value !== "string" || !values.has(value)) return false;
  }
  return filters.text === null || containsText(event.text, filters.text);
}

/** The texts of a filter: a text, a list of them, or the rows of a picker or a table. */
export function listTexts(value: unknown): string[] {
  return [value].flat().flatMap((item: unknown) => {
    if (typeof item === "number") return [String(item)];
    if (typeof item === "string") return item.trim() === "" ? [] : [item.trim()];
    const { id, value: cell } = Object(item);
    const text: unknown = id ?? cell;
    return typeof text === "string" && text.trim() !== "" ? [text.trim()] : [];
  });
}

function toCommand(text: string): string {
  return text.trim().replace(/^\//, "");
}

function isOn(value: unknown): boolean {
  return value === true || value === "true";
}
