import { describe, expect, test } from "bun:test";
import { type FieldRecord, wick } from "../field-tags.ts";
import { toJsonText } from "../json.ts";
import { toInputSchema } from "./input-schema.ts";
import { parseFields } from "./parse-fields.ts";

describe("toInputSchema", () => {
  test("The schema is an object of the fields by wire key, without other members", () => {
    const record = {
      Owner: wick("required;desc=Who owns it"),
      PerPage: wick.int("default=30;desc=At most 100"),
      Ratio: wick.float(),
      Draft: wick.bool("default=false"),
      State: wick("dropdown=open|closed;default=open"),
      Token: wick("secret"),
      Body: wick.json("desc=Any JSON"),
      Count: wick.int("required"),
      Side: wick("dropdown=LEFT|RIGHT;required"),
      Labels: wick("kvlist;required"),
      Users: wick("picker=users"),
    };
    expect(schemaOf(record)).toEqual({
      type: "object",
      properties: {
        owner: { type: "string", description: "Who owns it", minLength: 1 },
        per_page: { type: "integer", description: "At most 100", default: 30 },
        ratio: { type: "number" },
        draft: { type: "boolean", default: false },
        state: { type: "string", enum: ["open", "closed"], default: "open" },
        token: { type: "string", writeOnly: true },
        body: { description: "Any JSON" },
        count: { type: "integer" },
        side: { type: "string", enum: ["LEFT", "RIGHT"] },
        labels: {
          type: "array",
          items: {
            type: "object",
            properties: { value: { type: "string" } },
            additionalProperties: false,
          },
          minItems: 1,
        },
        users: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string", minLength: 1 }, name: { type: "string" } },
            required: ["id"],
            additionalProperties: false,
          },
        },
      },
      required: ["owner", "count", "side", "labels"],
      additionalProperties: false,
    });
  });

  test("The schema without fields accepts an empty object", () => {
    expect(schemaOf({})).toEqual({ type: "object", properties: {}, additionalProperties: false });
  });

  test("A required field with a default is not required in the schema", () => {
    expect(schemaOf({ Side: wick("required;default=RIGHT") })).toEqual({
      type: "object",
      properties: { side: { type: "string", default: "RIGHT" } },
      additionalProperties: false,
    });
  });

  test("The description says when a dependent field is required", () => {
    const schema = schemaOf({
      Kind: wick("dropdown=user|team|all"),
      Team: wick("required;desc=Its slug;visible_when=kind:team|all"),
      Note: wick("visible_when=kind:user"),
    });
    expect(schema.required).toBeUndefined();
    expect(schema.properties).toMatchObject({
      team: { type: "string", description: "Its slug. Needed only when kind is team or all." },
      note: { type: "string", description: "Used only when kind is user." },
    });
  });

  test("Defaults and options keep their digits beyond the range of numbers", () => {
    const schema = schemaOf({
      Big: wick.int("default=9007199254740993"),
      Choice: wick.int("dropdown=1|9007199254740993"),
      Any: wick.json('default={"n":9007199254740993}'),
    });
    expect(JSON.stringify(schema)).toBe(toJsonText(schema));
    expect(JSON.stringify(schema)).toContain('"default":9007199254740993');
    expect(JSON.stringify(schema)).toContain('"enum":[1,9007199254740993]');
    expect(JSON.stringify(schema)).toContain('"default":{"n":9007199254740993}');
  });
});

function schemaOf(record: FieldRecord) {
  return toInputSchema(parseFields('Connector "tracker"', record));
}
