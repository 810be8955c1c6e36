import { expect, test } from "bun:test";
import { nodeTypes } from "../../graph/item-types.ts";
import { beginsName } from "./begins-name.ts";

const entries = Object.entries(nodeTypes);

test("A step is meant if the text begins its type or name, in any case", () => {
  expect(beginsName("Wai", entries)).toBeTrue();
  expect(beginsName("webhook_r", entries)).toBeTrue();
  expect(beginsName("respond to", entries)).toBeTrue();
});

test("No step is meant by a text inside a name, or of an operation", () => {
  expect(beginsName("ait", entries)).toBeFalse();
  expect(beginsName("answer callback", entries)).toBeFalse();
});
