import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { builtinChats } from "@hub/server/compose/chat-connectors.ts";
import { chatFilters } from "@hub/server/workflows/channels/chat-event-type.ts";
import { toChannelReference } from "../../scripts/write-channel-reference.ts";

const page = join(resolve(import.meta.dirname, "../.."), "docs/reference/channels.md");

test("The reference of channels has the events and actions of every adapter", async () => {
  expect(await Bun.file(page).text()).toBe(await toChannelReference(builtinChats));
});

test("The sample of each event is a payload of its schema, and filters have what they compare with", async () => {
  for (const { connector, loadAdapter } of builtinChats) {
    for (const { id, payload, sample, filters } of (await loadAdapter()).events) {
      const place = `${connector.key} ${id}`;
      const compared = filters.flatMap((filter) => chatFilters[filter] ?? []);
      const absent = compared.filter((member) => !Object.hasOwn(Object(sample), member));
      expect([place, absent]).toEqual([place, []]);
      expect([place, payload.safeParse(sample).error?.message]).toEqual([place, undefined]);
    }
  }
});
