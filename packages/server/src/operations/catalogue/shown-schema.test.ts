import { describe, expect, test } from "bun:test";
import { toShownSchema } from "./shown-schema.ts";

const long = "A long sentence about this input. ".repeat(20);
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const large = {
  type: "object",
  properties: {
    ...Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, { description: long }])),
    owner: { ...ref("Owner"), description: "The owner." },
  },
  required: ["owner"],
  additionalProperties: false,
  $defs: {
    Owner: { type: "object", properties: { of: { items: [ref("Team"), ref("Owner")] } } },
    Team: { type: "string" },
    Other: { description: long },
  },
};

describe("the schema beside issues", () => {
  test("A schema of up to 4 KiB is whole", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    expect(toShownSchema(schema, [{ path: "b" }])).toEqual({ input_schema: schema });
    expect(toShownSchema(schema, undefined)).toEqual({ input_schema: schema });
  });

  test("A larger one has the inputs of the issues, with what they refer to, and the names of others", () => {
    const { input_schema: shown, input_schema_cut: note } = toShownSchema(large, [
      { path: "owner.of[0]", message: "is wrong" },
    ]);
    expect(shown).toEqual({
      type: "object",
      required: ["owner"],
      additionalProperties: false,
      properties: { owner: large.properties.owner },
      "x-other-inputs": Array.from({ length: 50 }, (_, at) => `p${at}`),
      $defs: { Owner: large.$defs.Owner, Team: large.$defs.Team },
    });
    expect(note).toContain("hub_get");
  });

  test("No schema takes more than 4 KiB, whatever it is made of", () => {
    const all = Object.keys(large.properties).map((path) => ({ path }));
    const chain = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `D${at}`,
        { description: "x".repeat(60), not: ref(`D${at + 1}`) },
      ]),
    );
    const properties = { a: ref("D0"), __proto__: null, ["n".repeat(9_000)]: {} };
    for (const schema of [
      large,
      { properties, $defs: chain },
      { type: "x".repeat(9_000) },
      { properties: [long, long] },
    ]) {
      for (const issues of [all, [{ path: "a" }], [], "none"]) {
        const { input_schema: shown } = toShownSchema(schema as never, issues);
        expect(JSON.stringify(shown).length).toBeLessThanOrEqual(4096);
      }
    }
  });

  test("Thousands of definitions are picked in a short time", () => {
    const names = Array.from({ length: 4_000 }, (_, at) => at.toString(36));
    const $defs = Object.fromEntries(names.map((name) => [name, {}]));
    const schema = { properties: { a: { anyOf: names.map(ref) } }, $defs };
    const before = process.cpuUsage();
    const { input_schema: shown } = toShownSchema(schema, [{ path: "a" }]);
    const { user, system } = process.cpuUsage(before);
    expect(shown).toHaveProperty("properties");
    // In milliseconds. Copying the picked ones for each took ten times as long.
    expect((user + system) / 1000).toBeLessThan(100);
  });
});
