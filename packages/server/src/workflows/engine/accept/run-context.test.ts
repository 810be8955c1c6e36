import { expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import {
  passOnContext,
  type RunContext,
  readRunContext,
  toRunContext,
  toRunContextText,
} from "./run-context.ts";

const whole: RunContext = {
  pins: { get: { total: 1, items: ["a", null] } },
  pinsFrom: "run-1",
  isAlone: true,
  generations: { "get:-1": 2 },
  endsAt: 1_000,
  isQuiet: true,
  hubs: ["hub-1"],
};

test("A stored run context reads back unchanged", () => {
  expect(readRunContext(toRunContextText(whole))).toEqual(whole);
  expect(toRunContextText(undefined)).toBeNull();
  expect(readRunContext(null)).toEqual({});
});

test.each([
  [
    "of the first version that stored one",
    '{"pins":{"get":1},"pinsFrom":"run-1"}',
    ["pins", "pinsFrom"],
  ],
  ["before hubs were passed on", '{"endsAt":5,"isQuiet":true}', ["endsAt", "isQuiet"]],
  ["with a member of another version", '{"endsAt":5,"priority":{"of":[1]}}', ["endsAt"]],
  ["that is empty", "{}", []],
])("A stored context %s is read", (_, text, members) => {
  expect(Object.keys(readRunContext(text))).toEqual(members);
});

test.each([
  ['{"endsAt":"soon"}', "endsAt"],
  ['{"isAlone":1}', "isAlone"],
  ['{"hubs":["a",7]}', "hubs.1"],
  ['{"generations":{"get:-1":"2"}}', "generations.get:-1"],
  ['{"pins":[]}', "pins"],
  ["[]", "it"],
  ['{"endsAt":5', "it"],
  ["", "it"],
])("An invalid stored context is an error that names the member: %s", (text, member) => {
  const read = () => readRunContext(text);
  expect(read).toThrow(HubError);
  expect(read).toThrow(`"${member}"`);
});

test("A run passes on its end time, its quiet flag and its hubs to the runs that it starts, and nothing else", () => {
  const text = toRunContextText(whole);
  expect(passOnContext({ context: text })).toEqual({
    context: { endsAt: 1_000, isQuiet: true, hubs: ["hub-1"] },
  });
  expect(passOnContext({ context: '{"pinsFrom":"run-1"}' })).toEqual({});
  expect(toRunContext({ endsAt: undefined, hubs: [] })).toEqual({});
});
