import { type FieldSpec, toInputSchema } from "@hub/connector";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { isVisible, toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { isOperationOn } from "../../operations/admission/list-form.ts";
import { isOffered } from "../../operations/admission/offered.ts";
import { toToolId } from "../../operations/catalogue/tool-id.ts";
import { listChannelRows } from "../../store/rows/rows-table.ts";
import { listDisabledTypes } from "../../store/rows/switches.ts";
import type { DefinitionDeps } from "../definition/definition-deps.ts";
import type { ChatEventType } from "./chat-event-type.ts";

/** A channel as editors and models see it. */
export type ChannelDescription = {
  /** The slug: the value of `channel` in triggers and nodes. */
  key: string;
  kind: string;
  name: string;
  disabled: boolean;
  events: ChannelEventDescription[];
  ops: ChannelOpDescription[];
};

export type ChannelEventDescription = {
  id: string;
  name: string;
  description: string;
  /** The fields of `match`. */
  match_fields: readonly FieldSpec[];
  match_schema: object;
  payload_schema: object;
  sample: unknown;
};

export type ChannelOpDescription = {
  id: string;
  name: string;
  description: string;
  tool_id: string;
  input_schema: object;
};

export type DescribeDeps = Pick<DefinitionDeps, "store" | "registry" | "chats">;

/** The channels that the caller sees, with their events and actions, by slug. */
export async function describeChannels(
  { store, registry, chats }: DescribeDeps,
  caller: Caller,
): Promise<ChannelDescription[]> {
  const rows = await listChannelRows(store.db, { taggedAmong: toVisibleTags(caller) });
  const disabledTypes = await listDisabledTypes(store.db);
  const described: ChannelDescription[] = [];
  for (const row of rows) {
    const connector = registry.find(row.connectorKey);
    if (row.slug === null || connector === null || !isVisible(caller, row)) continue;
    const events = chats.has(row.connectorKey) ? await chats.loadEvents(row.connectorKey) : [];
    const ops = [...connector.operations.values()].filter(
      (operation) => isOffered(operation) && isOperationOn(row, operation),
    );
    described.push({
      key: row.slug,
      kind: row.connectorKey,
      name: row.label,
      disabled: row.disabled || disabledTypes.has(row.connectorKey),
      events: events.map(describeEvent),
      ops: ops.map(({ key, name, description, inputFields }) => ({
        id: key,
        name,
        description,
        tool_id: toToolId(row.id, key),
        input_schema: toInputSchema(inputFields),
      })),
    });
  }
  return described.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function describeEvent(event: ChatEventType): ChannelEventDescription {
  return {
    id: event.id,
    name: event.name,
    description: event.description,
    match_fields: event.match,
    match_schema: toInputSchema(event.match),
    payload_schema: z.toJSONSchema(event.payload),
    sample: event.sample,
  };
}
