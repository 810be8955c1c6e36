import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Field, type FieldRecord, wick } from "../field-tags.ts";
import { parseJson, toJsonText } from "../json.ts";
import { checkConfig, readConfig, toStoredText } from "./config-values.ts";
import type { FieldSpec } from "./field-spec.ts";
import { findMissing } from "./find-missing.ts";
import { parseFields } from "./parse-fields.ts";

describe("readConfig", () => {
  test("Stored text is converted to its type, and missing values get their defaults", () => {
    const fields = read({
      BaseURL: wick("url;required"),
      Retries: wick.int("default=3"),
      Verbose: wick.bool("default=true"),
      Rows: wick('kvlist=a|b;default=[{"a":"1"}]'),
      Limits: wick.json("default={}"),
      Note: wick(),
    });
    expect(readConfig(fields, { base_url: "https://a.b", retries: "", verbose: "false" })).toEqual({
      base_url: "https://a.b",
      retries: 3,
      verbose: false,
      rows: [{ a: "1", b: "" }],
      limits: {},
    });
  });

  test("Stored text that no longer fits its field counts as missing, and checkConfig reports it", () => {
    const fields = read({ Retries: wick.int("default=3"), Mode: wick("dropdown=a|b;required") });
    const stored = { retries: "often", mode: "c" };
    const values = readConfig(fields, stored);
    expect(values).toEqual({ retries: 3 });
    expect(findMissing(fields, values).map(({ key }) => key)).toEqual(["mode"]);
    expect(checkConfig(fields, stored).map(({ path }) => path)).toEqual(["retries", "mode"]);
    expect(checkConfig(fields, { retries: "5", mode: "" })).toEqual([]);
  });

  test("Stored names without a field are ignored", () => {
    const stored: Record<string, string> = JSON.parse('{"gone":"x","__proto__":"y"}');
    expect(readConfig(read({ Note: wick() }), stored)).toEqual({});
  });

  test("A plugin's default that does not fit its field is ignored", () => {
    const [field] = read({ Retries: wick.int() });
    if (field === undefined) throw new Error("No field.");
    expect(readConfig([{ ...field, default: "many" }], {})).toEqual({});
  });
});

describe("toStoredText", () => {
  test.each<[Field, unknown, string]>([
    [wick(), "text", "text"],
    [wick(), 42, "42"],
    [wick.int(), "042", "42"],
    [wick.int(), 5, "5"],
    [wick.int(), parseJson("9007199254740993"), "9007199254740993"],
    [wick.float(), "1.50", "1.5"],
    [wick.bool(), "TRUE", "true"],
    [wick.bool(), false, "false"],
    [wick("kvlist=a|b"), [{ a: 1 }], '[{"a":"1","b":""}]'],
    [wick("kvlist"), "-y\r\n\nmy server\n", '[{"value":"-y"},{"value":""},{"value":"my server"}]'],
    [wick("kvlist"), '["-y", "a\\nb", 7]', '[{"value":"-y"},{"value":"a\\nb"},{"value":"7"}]'],
    [wick("kvlist"), ["-y", { value: "x" }], '[{"value":"-y"},{"value":"x"}]'],
    [wick("kvlist"), '[{"value":"x"}]', '[{"value":"x"}]'],
    [wick("kvlist"), "7", '[{"value":"7"}]'],
    [wick("kvlist=a|b"), ' [ {"a": "1"} ] ', '[{"a":"1","b":""}]'],
    [wick.json(), '{ "n": 9007199254740993 }', '{"n":9007199254740993}'],
    [wick.json(), { n: 1 }, '{"n":1}'],
    [wick.json(), '"quoted"', '"quoted"'],
    [wick("secret"), "hunter2", "hunter2"],
    [wick(), "", ""],
    [wick.int(), null, ""],
    [wick.bool(), undefined, ""],
  ])("%#: a valid value becomes the text to store", (field, value, text) => {
    expect(toStoredText(one(field), value)).toEqual({ text });
  });

  test.each<[Field, unknown, string]>([
    [wick.int(), "many", "must be a whole number"],
    [wick.bool(), "yes", "must be true or false"],
    [wick("dropdown=a|b"), "c", "must be one of a, b."],
    [wick("url"), "example.com", "must be a full URL such as https://example.com"],
    [wick.json(), "{", "must be valid JSON"],
    [wick("secret"), { hunter: 2 }, "must be text"],
  ])("%#: an invalid value is an issue", (field, value, message) => {
    const result = toStoredText(one(field), value);
    expect(result).toMatchObject({ issue: { path: "value" } });
    expect("issue" in result && result.issue.message).toStartWith(message);
  });

  test("A stored value is read back unchanged", () => {
    const cases: [FieldSpec, fc.Arbitrary<unknown>][] = [
      [one(wick()), fc.string({ minLength: 1 })],
      [one(wick.int()), fc.bigInt().map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n))],
      [one(wick.float()), fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0)],
      [one(wick.bool()), fc.boolean()],
      [one(wick("kvlist=a|b")), fc.array(fc.record({ a: fc.string(), b: fc.string() }))],
    ];
    for (const [field, arbitrary] of cases) {
      fc.assert(
        fc.property(arbitrary, (value) => {
          const result = toStoredText(field, value);
          if (!("text" in result)) throw new Error("The value was refused.");
          expect(readConfig([field], { value: result.text })).toEqual({ value });
        }),
        { seed: 3 },
      );
    }
  });

  test("A stored JSON value is read back unchanged", () => {
    const field = one(wick.json());
    // Of all characters. The unit "binary" takes a second to make a table of them.
    const stringUnit = fc
      .nat({ max: 0x10ffff - 0x800 })
      .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));
    fc.assert(
      fc.property(fc.json({ stringUnit }), (text) => {
        const result = toStoredText(field, text);
        expect(result).toEqual({ text: toJsonText(parseJson(text)) });
      }),
      { seed: 4 },
    );
  });
});

describe("findMissing", () => {
  test("A field with a default is not missing", () => {
    expect(missing({ Mode: wick("required;default=a") }, {})).toEqual([]);
  });

  test("Typed values and stored text count as set", () => {
    const record = { Count: wick.int("required"), Rows: wick("kvlist;required") };
    expect(missing(record, { count: 0, rows: [{ value: "" }] })).toEqual([]);
    expect(missing(record, { count: "0", rows: '[{"value":""}]' })).toEqual([]);
    expect(missing(record, { rows: [] })).toEqual(["count", "rows"]);
    expect(missing(record, { count: null, rows: "[]" })).toEqual(["count", "rows"]);
  });

  test("A hidden field can be missing, because only the default page omits it", () => {
    expect(missing({ Token: wick("required;hidden") }, {})).toEqual(["token"]);
  });

  test("A field that its visible_when hides is not missing", () => {
    const record = {
      AuthMode: wick("dropdown=basic|token;default=basic"),
      Password: wick("secret;required;visible_when=auth_mode:basic"),
      Token: wick("secret;required;visible_when=auth_mode:token"),
    };
    expect(missing(record, {})).toEqual(["password"]);
    expect(missing(record, { auth_mode: "token" })).toEqual(["token"]);
    expect(missing(record, { auth_mode: "token", token: "t" })).toEqual([]);
  });

  test("A switch without a value is off", () => {
    const record = {
      Proxy: wick.bool(),
      Host: wick("required;visible_when=proxy:true"),
      Direct: wick("required;visible_when=proxy:false"),
      N: wick.int("default=3"),
      Delay: wick("required;visible_when=n:3"),
    };
    expect(missing(record, {})).toEqual(["direct", "delay"]);
    expect(missing(record, { proxy: true, n: 4 })).toEqual(["host"]);
    expect(missing(record, { proxy: "true", n: "4" })).toEqual(["host"]);
  });

  test("A condition on an unknown field does not hide the field", () => {
    const [field] = read({ Token: wick("required") });
    if (field === undefined) throw new Error("No field.");
    const orphan = { ...field, visibleWhen: { field: "gone", values: ["a"] } };
    expect(findMissing([orphan], {})).toEqual([orphan]);
  });
});

function read(record: FieldRecord): FieldSpec[] {
  return parseFields('Connector "tracker"', record);
}

function one(field: Field): FieldSpec {
  const [spec] = read({ Value: field });
  if (spec === undefined) throw new Error("No field was read.");
  return spec;
}

function missing(record: FieldRecord, values: Record<string, unknown>): string[] {
  return findMissing(read(record), values).map(({ key }) => key);
}
