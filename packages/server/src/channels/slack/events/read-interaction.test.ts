import { expect, test } from "bun:test";
import { blockActionEvent } from "./interactions.ts";
import { readInteraction } from "./read-interaction.ts";

const values = {
  b1: { v: { type: "plain_text_input", value: "one" } },
  b2: { v: { type: "plain_text_input", value: "two" } },
};
const action = { type: "button", action_id: "go", block_id: "b3", value: "7" };
const interaction = (given: object) => ({
  type: "block_actions",
  user: { id: "U1" },
  team: { id: "T1" },
  trigger_id: "1.2",
  actions: [action],
  ...given,
});
const view = { id: "V1", hash: "h", callback_id: "c", private_metadata: "" };

test.each<[string, object, object]>([
  ["a message", { state: { values } }, values],
  ["a modal", { view: { ...view, state: { values } } }, values],
  ["a message without inputs", {}, {}],
  ["a state that has no form", { state: { values: "none" } }, {}],
])("The event of an action in %s has the values by block id, then action id", (_, given, state) => {
  const [event] = readInteraction(interaction(given)).events;
  expect(event?.payload).toMatchObject({ state });
  expect(blockActionEvent.payload.parse(event?.payload)).toEqual(event?.payload ?? {});
});

test("Of equal action ids, fields has the last value", () => {
  const [event] = readInteraction(interaction({ state: { values } })).events;
  expect(event?.payload.fields).toEqual({ v: "two" });
});
