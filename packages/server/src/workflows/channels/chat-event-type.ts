import { type FieldRecord, type FieldSpec, type Json, parseFields } from "@hub/connector";
import type { z } from "zod";

/** The filters of events, with the member of the payload that each one is compared with. */
export const chatFilters = {
  /** The payload's `channel_id` is in the list. */
  channel_ids: "channel_id",
  /** The payload's `user` is in the list. */
  users: "user",
  /** The payload's `text` contains the text, in any case. */
  text_contains: "text",
  /** The payload's `command` is the command, in any case, with or without its slash. */
  command: "command",
  /** The payload's `action_id` is in the list. */
  action_ids: "action_id",
  /** The payload's `callback_id` is in the list. */
  callback_ids: "callback_id",
  /** Messages of other bots count too. */
  include_bots: null,
  /** Messages of the channel's own bot count too. */
  include_self: null,
} as const;

export type ChatFilter = keyof typeof chatFilters;

/** One kind of event that an adapter receives. */
export type ChatEventType = {
  /** Such as `message`. Unique in its adapter. */
  id: string;
  name: string;
  /** One or two sentences for people and models: when the event occurs. */
  description: string;
  filters: readonly ChatFilter[];
  /** The filters as fields of a form, in the order of `filters`. */
  match: readonly FieldSpec[];
  /** What `.Event.Payload` is. */
  payload: z.ZodType;
  /** A payload for examples and for tests of workflows. */
  sample: Json;
};

export type ChatEventSource = Pick<
  ChatEventType,
  "id" | "name" | "description" | "filters" | "payload" | "sample"
> & {
  /** The sources of the connector's look-up for the filters that are lists of ids. */
  pickers?: { [Name in ChatFilter]?: string };
};

/** Declares an event. Its filters become fields, spelt alike in all adapters. */
export function defineChatEvent(source: ChatEventSource): ChatEventType {
  const { pickers = {}, ...event } = source;
  const record: FieldRecord = Object.fromEntries(
    event.filters.map((filter) => [filter, toField(filter, pickers[filter])]),
  );
  return { ...event, match: parseFields(`Event "${event.id}"`, record) };
}

function toField(filter: ChatFilter, picker: string | undefined): FieldRecord[string] {
  const list = picker === undefined ? "kvlist" : `picker=${picker}`;
  switch (filter) {
    case "channel_ids":
      return { base: "text", tag: `${list};desc=Only in these channels. Empty: in all.` };
    case "users":
      return { base: "text", tag: `${list};desc=Only of these users. Empty: of all.` };
    case "text_contains":
      return { base: "text", tag: "desc=Only if the text contains this, in any case." };
    case "command":
      return { base: "text", tag: "desc=Only this command, such as /deploy. Empty: all commands." };
    case "action_ids":
      return { base: "text", tag: `${list};desc=Only of elements with these action ids.` };
    case "callback_ids":
      return { base: "text", tag: `${list};desc=Only with these callback ids.` };
    case "include_bots":
      return { base: "boolean", tag: "default=false;desc=Also for messages of other bots." };
    case "include_self":
      return { base: "boolean", tag: "default=false;desc=Also for messages of this bot itself." };
  }
}
