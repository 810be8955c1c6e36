import { expect, test } from "bun:test";
import { listChanges } from "./list-changes.ts";

const definition = {
  name: "List pets",
  description: "Lists pets.",
  destructive: false,
  idempotent: true,
  input_schema: { type: "object" },
  binding: { method: "GET" },
};

test("Only what differs is listed, flags in words and schemas as JSON", () => {
  expect(listChanges(definition, definition)).toEqual([]);
  const after = {
    ...definition,
    description: "Lists all pets.",
    destructive: true,
    idempotent: false,
    output_schema: { type: "array" },
  };
  expect(listChanges(definition, after)).toEqual([
    { name: "Description", before: "Lists pets.", after: "Lists all pets.", isCode: false },
    {
      name: "Effect",
      isCode: false,
      before: "Not destructive, can be repeated safely",
      after: "Destructive",
    },
    { name: "Output schema", before: "", after: '{\n  "type": "array"\n}', isCode: true },
  ]);
});

test("Invisible characters of a schema are shown as escapes", () => {
  const after = { ...definition, input_schema: { enum: ["a\u202eb\u3164"] } };
  const [change] = listChanges(definition, after);
  expect(change?.after).toContain('"a\\u202eb\\u3164"');
});
