import { describe, expect, test } from "bun:test";
import { defineConnector } from "../../define-connector.ts";
import { wick } from "../../field-tags.ts";
import { fromModuleManifest } from "./from-module-manifest.ts";
import { toModuleManifest } from "./to-module-manifest.ts";

const definition = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "plugin",
  description: "Reads and writes issues.",
  config: {
    BaseURL: wick("url;required;desc=Where it answers;group=Access|How to get in"),
    Token: wick("secret;regen;group=Access"),
    Mode: wick("dropdown=fast|slow;default=fast;mode=fixed"),
    Level: wick.int("dropdown=1|2|3;default=2"),
    Retries: wick.int("default=3;visible_when=Mode:slow;group=More||collapsed"),
    Ratio: wick.float("hidden"),
    Strict: wick.bool("default=true;locked"),
    Headers: wick("kvlist=name|value"),
    Projects: wick("picker=projects"),
    Board: wick("html=boards"),
    Extra: wick.json('default={"a":1}'),
  },
  generators: { Token: () => "new" },
  health: () => ({ ok: true }),
  lookup: () => [],
  operations: {
    get_issue: {
      name: "Get issue",
      description: "Reads one issue.",
      input: { Number: wick.int("required"), Body: wick("textarea") },
      output: { type: "object" },
      timeoutMs: 5000,
      examples: [{ params: { number: 3 }, description: "The third." }],
      run: () => null,
    },
    boards: { description: "Boards to choose.", configOnly: true, run: () => null },
    purge: { description: "Deletes.", destructive: true, adminOnly: true, run: () => null },
  },
});

describe("a module's manifest", () => {
  test("A manifest that is parsed again gives the same connector", () => {
    const module = JSON.parse(JSON.stringify(toModuleManifest(definition)));
    const spec = fromModuleManifest(module, 2);
    expect(spec.configFields).toEqual(definition.configFields);
    for (const [key, operation] of definition.operations) {
      const { run: _, ...plain } = operation;
      expect(spec.operations.get(key)).toEqual(plain);
    }
    expect(spec).toMatchObject({
      key: "tracker",
      name: "Tracker",
      icon: "bug",
      description: "Reads and writes issues.",
      hasHealth: true,
      hasLookup: true,
      hasGenerators: true,
    });
  });

  test("A manifest has the members that existing hosts read", () => {
    const { Meta, Configs, Operations } = toModuleManifest(definition);
    expect(Meta).toMatchObject({ Key: "tracker", Fixed: false, DefaultTags: [] });
    expect(Configs[0]).toMatchObject({
      Key: "base_url",
      Type: "url",
      Required: true,
      group: "Access|How to get in",
      visible_when: "",
    });
    // Hosts in Go expect an object or nothing there, and fail on a text.
    expect(Configs.some((config) => "col_options" in config)).toBeFalse();
    expect(Configs[4]).toMatchObject({ Value: "3", visible_when: "mode:slow" });
    expect(Operations[0]?.Ops.map(({ Key }) => Key)).toEqual(["get_issue", "boards", "purge"]);
  });
});

const minimal = (field: object) => ({
  Meta: { Key: "old" },
  Configs: [field],
  Operations: [{ Title: "", Ops: [{ Key: "go", Input: null }] }],
  OAuth: { anything: true },
});

describe("a manifest of an existing plugin", () => {
  test("A manifest may omit members with Go's zero values", () => {
    const spec = fromModuleManifest({ Meta: { Key: "old" }, Configs: null, Operations: null }, 1);
    expect(spec).toMatchObject({ key: "old", name: "old", description: "", configFields: [] });
    expect(spec.operations.size).toBe(0);
  });

  const cases: [string, object, object][] = [
    ["an unknown type is a text", { Type: "slider" }, { widget: "text", base: "text" }],
    [
      "a number has no base but float",
      { Type: "number", Value: "3" },
      { base: "float", default: "3" },
    ],
    [
      "a default that does not fit is none",
      { Type: "number", Value: "many" },
      { widget: "number" },
    ],
    [
      "a secret of any type stays secret",
      { Type: "textarea", IsSecret: true },
      { widget: "secret", secret: true },
    ],
    ["a dropdown without choices is a text", { Type: "dropdown", Options: "" }, { widget: "text" }],
    [
      "a picker without a lookup is a table",
      { Type: "picker", Options: "orgs" },
      { widget: "kvlist", columns: ["id", "name"] },
    ],
    ["html without its operation is a text", { Type: "html", Options: "gone" }, { widget: "text" }],
    [
      "html of its own operation stays",
      { Type: "html", Options: "go" },
      { widget: "html", htmlOp: "go" },
    ],
    ["regenerating needs a generator", { Type: "secret", CanRegenerate: true }, { regen: false }],
  ];
  for (const [what, field, expected] of cases) {
    test(what, () => {
      const [read] = fromModuleManifest(minimal({ Key: "field", ...field }), 1).configFields;
      expect(read).toMatchObject(expected);
      if (what.includes("is none")) expect(read).not.toHaveProperty("default");
    });
  }

  test("Inputs of version 1 have no defaults; inputs of version 2 and configuration fields have them", () => {
    const number = { Key: "count", Type: "number", Value: "0", Required: true };
    const module = {
      Meta: { Key: "old" },
      Configs: [number],
      Operations: [{ Ops: [{ Key: "go", Input: [number] }] }],
    };
    const readInput = (protoVersion: number) =>
      fromModuleManifest(module, protoVersion).operations.get("go")?.inputFields[0];
    expect(readInput(1)).not.toHaveProperty("default");
    expect(readInput(1)).toMatchObject({ required: true, lenient: true });
    expect(readInput(2)).toMatchObject({ default: "0" });
    expect(readInput(2)).not.toHaveProperty("lenient");
    expect(fromModuleManifest(module, 1).configFields[0]).toMatchObject({ default: "0" });
  });

  test("A condition on an unknown field does not hide the field", () => {
    const [field] = fromModuleManifest(minimal({ Key: "a", visible_when: "b:c" }), 1).configFields;
    expect(field).not.toHaveProperty("visibleWhen");
  });

  const faults: [unknown, RegExp][] = [
    ["text", /not an object/],
    [{ Meta: { Key: "no-hyphen" } }, /Meta.Key "no-hyphen"/],
    [minimal({ Key: "__proto__" }), /the field key "__proto__"/],
    [{ Meta: { Key: "a" }, Configs: [{ Key: "b" }, { Key: "b" }] }, /the field b is a duplicate/],
    [{ Meta: { Key: "a" }, Operations: [{ Ops: [{ Key: "x/y" }] }] }, /Operation key "x\/y"/],
    [
      { Meta: { Key: "a" }, Operations: [{ Ops: [{ Key: "x" }] }, { Ops: [{ Key: "x" }] }] },
      /Operation x is a duplicate/,
    ],
  ];
  for (const [module, message] of faults) {
    test(`A manifest is refused: ${message.source}`, () => {
      expect(() => fromModuleManifest(module, 2)).toThrow(message);
    });
  }
});
