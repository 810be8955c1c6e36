import { expect, test } from "bun:test";
import type { FieldSpec } from "@hub/connector";
import { parseWidgetFields, sortWidgetFields } from "./widget-fields.ts";

test.each([
  ["undefined", undefined],
  ["null", null],
])("A result whose fields are %s saves nothing", (_, fields) => {
  expect(parseWidgetFields("pick", fields)).toEqual({});
});

test("A result's fields may be texts, numbers, booleans and null", () => {
  const fields = { a: "x", b: 1, c: true, d: null, e: JSON.rawJSON("9007199254740993") };
  expect(parseWidgetFields("pick", fields)).toBe(fields);
});

test.each<[string, unknown]>([
  ["a text", "a=b"],
  ["a list", ["a"]],
  ["a map with a list", { a: ["b"] }],
  ["a map with a map", { a: { b: 1 } }],
])("A result whose fields are %s is an error of the connector, and nothing is saved", (_, fields) => {
  expect(() => parseWidgetFields("pick", fields)).toThrow(
    expect.objectContaining({
      code: "upstream_error",
      message: expect.stringContaining('The operation "pick" ran, but its `fields` are not a map'),
    }),
  );
});

// Only these members are read.
const configFields = [
  { key: "label", locked: false, widget: "text" },
  { key: "site", locked: true, widget: "text" },
  { key: "base_url", locked: false, widget: "url" },
] as unknown as FieldSpec[];

test("A widget may not change a locked field, an address, or a field that the connector does not have", () => {
  const given = { label: "x", site: "s", base_url: "https://evil.example", other: 1 };
  expect(sortWidgetFields(configFields, given)).toEqual({
    values: { label: "x" },
    refused: [
      { field: "site", reason: "It cannot be changed after the row is created." },
      { field: "base_url", reason: "Only an admin can change an address." },
      { field: "other", reason: "The connector has no such field." },
    ],
  });
});

test("At most 20 refused fields are reported", () => {
  const given = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x${n}`, 1]));
  const { refused } = sortWidgetFields(configFields, given);
  expect([refused.length, refused.at(-1)?.field]).toEqual([20, "x19"]);
});
