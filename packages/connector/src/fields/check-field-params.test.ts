import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type FieldRecord, wick } from "../field-tags.ts";
import { parseJson, toJsonText } from "../json.ts";
import { checkParams } from "./check-field-params.ts";
import { parseFields } from "./parse-fields.ts";

describe("checkParams", () => {
  test("Every param is converted to its type", () => {
    const fields = read({
      Title: wick("required"),
      Number: wick.int(),
      Ratio: wick.float(),
      Draft: wick.bool(),
      State: wick("dropdown=open|closed"),
      Inputs: wick.json(),
    });
    const raw = { title: "t", number: 3, ratio: 0.5, draft: true, state: "open", inputs: [1, {}] };
    expect(checkParams(fields, raw)).toEqual({ values: raw, issues: [] });
  });

  test("Params that are not an object cause one issue", () => {
    for (const raw of [null, undefined, "text", 3, true, [], [{}], JSON.rawJSON("1e400")]) {
      expect(checkParams(read({ Title: wick() }), raw)).toEqual({
        values: {},
        issues: [{ path: "", message: "must be an object" }],
      });
    }
  });

  describe("missing values", () => {
    test("Null counts as missing", () => {
      const fields = read({
        Title: wick(),
        Number: wick.int("default=1"),
        Owner: wick("required"),
      });
      expect(checkParams(fields, { title: null, number: null, owner: null })).toEqual({
        values: { number: 1 },
        issues: [{ path: "owner", message: "is required" }],
      });
    });

    test("An empty text is kept in a free text field, so that it can clear a value", () => {
      const fields = read({ Body: wick("textarea"), Title: wick() });
      expect(checkParams(fields, { body: "", title: "" }).values).toEqual({ body: "", title: "" });
    });

    test("An empty text counts as missing in a field with a default or a format", () => {
      const fields = read({
        Per: wick.int(),
        Draft: wick.bool(),
        Site: wick("url"),
        State: wick("dropdown=open|closed"),
        Labels: wick("kvlist"),
        Side: wick("default=RIGHT"),
        Extra: wick.json(),
      });
      const raw = { per: "", draft: "", site: "", state: "", labels: "", side: "", extra: "" };
      expect(checkParams(fields, raw)).toEqual({ values: { side: "RIGHT" }, issues: [] });
    });

    test("An empty text does not satisfy a required field", () => {
      expect(checkParams(read({ Owner: wick("required") }), { owner: "" }).issues).toEqual([
        { path: "owner", message: "is required" },
      ]);
    });

    test("A table without rows does not satisfy a required field", () => {
      expect(checkParams(read({ Rows: wick("kvlist;required") }), { rows: [] }).issues).toEqual([
        { path: "rows", message: "is required" },
      ]);
    });

    test("A required field that its visible_when hides may be missing", () => {
      const fields = read({
        Kind: wick("dropdown=user|team"),
        Team: wick("required;visible_when=kind:team"),
      });
      expect(checkParams(fields, { kind: "user" }).issues).toEqual([]);
      expect(checkParams(fields, { kind: "team" }).issues).toEqual([
        { path: "team", message: "is required" },
      ]);
    });

    test("A required value of the wrong type causes only one issue", () => {
      const fields = read({ Number: wick.int("required"), Rows: wick("kvlist;required") });
      expect(checkParams(fields, { number: "x", rows: [{ nope: "" }] }).issues).toEqual([
        { path: "number", message: "must be a whole number" },
        { path: "rows[0].nope", message: "is not a column. Columns: value." },
      ]);
    });
  });

  describe("text for other types", () => {
    test("Text that is a number or a boolean is converted to it", () => {
      const fields = read({ Number: wick.int(), Ratio: wick.float(), Draft: wick.bool() });
      const given = { number: " 42 ", ratio: "-1.5e3", draft: " True " };
      expect(checkParams(fields, given)).toEqual({
        values: { number: 42, ratio: -1500, draft: true },
        issues: [],
      });
    });

    test("A number or a boolean for a text is its text, also in a table", () => {
      const fields = read({
        Title: wick(),
        Draft: wick(),
        Rows: wick("kvlist=name|value"),
      });
      const given = { title: 7, draft: false, rows: [{ name: 1, value: true }] };
      expect(checkParams(fields, given)).toEqual({
        values: { title: "7", draft: "false", rows: [{ name: "1", value: "true" }] },
        issues: [],
      });
    });

    test.each<Record<string, unknown>>([
      { number: "4 2" },
      { number: "0x10" },
      { number: "1.5" },
      { number: true },
      { number: [1] },
      { ratio: "Infinity" },
      { ratio: "1e999" },
      { ratio: "." },
      { draft: "yes" },
      { draft: 1 },
      { title: { a: 1 } },
      { title: ["x"] },
    ])("Other text is an issue (%#)", (given) => {
      const fields = read({
        Number: wick.int(),
        Ratio: wick.float(),
        Draft: wick.bool(),
        Title: wick(),
      });
      const { values, issues } = checkParams(fields, given);
      expect(values).toEqual({});
      expect(issues).toMatchObject([{ path: Object.keys(given)[0] }]);
    });

    test("A number for a text field becomes the text of its digits", () => {
      const fields = read({ Sha: wick() });
      const texts = [
        "42",
        "1.5",
        "9007199254740993",
        "1000000000000000000000",
        "0.10000000000000000001",
      ];
      for (const text of texts) {
        const raw = parseJson(`{"sha":${text}}`);
        expect(checkParams(fields, raw)).toEqual({ values: { sha: text }, issues: [] });
      }
      const shifted = parseJson('{"sha":0.90071992547409930001e20}');
      expect(checkParams(fields, shifted).values).toEqual({ sha: "90071992547409930001" });
    });
  });

  describe("integers", () => {
    test("An integer keeps its digits beyond the range of numbers", () => {
      const fields = read({ ID: wick.int() });
      for (const digits of ["9007199254740993", "-1180591620717411303424", `1${"0".repeat(40)}`]) {
        for (const raw of [parseJson(`{"id":${digits}}`), { id: digits }, { id: BigInt(digits) }]) {
          expect(checkParams(fields, raw).values.id).toBe(BigInt(digits));
        }
      }
    });

    test("An integer up to 2^53 - 1 becomes a number, in every notation", () => {
      const fields = read({ ID: wick.int() });
      for (const text of ["9007199254740991", "1e3", "5.0", "1.50e1", "-0", "120e-1"]) {
        const wanted = Number(text) + 0;
        expect(checkParams(fields, parseJson(`{"id":${text}}`)).values.id).toBe(wanted);
        expect(checkParams(fields, { id: text }).values.id).toBe(wanted);
      }
    });

    test("An integer of extreme length is refused without computing it", () => {
      const fields = read({ ID: wick.int() });
      expect(checkParams(fields, { id: "9".repeat(1000) }).issues).toEqual([]);
      for (const id of ["9".repeat(1001), "1e99999", "1e999999999"]) {
        expect(checkParams(fields, { id }).issues).toHaveLength(1);
      }
    });
  });

  describe("unknown names", () => {
    test("An unknown name is an issue with a did-you-mean", () => {
      const fields = read({ Owner: wick(), PerPage: wick.int() });
      expect(checkParams(fields, { ownr: "x", perPage: 3, zzz: 1 }).issues).toEqual([
        { path: "ownr", message: 'is not known here. Did you mean "owner"?' },
        { path: "perPage", message: 'is not known here. Did you mean "per_page"?' },
        { path: "zzz", message: "is not known here; use one of owner, per_page" },
      ]);
      expect(checkParams([], { a: 1 }).issues).toEqual([
        { path: "a", message: "is not known here; this operation has no params" },
      ]);
    });

    test("`__proto__` is an unknown name and does not set a prototype", () => {
      const fields = read({ Admin: wick.bool() });
      const { values, issues } = checkParams(fields, JSON.parse('{"__proto__":{"admin":true}}'));
      expect(issues.map(({ path }) => path)).toEqual(["__proto__"]);
      expect(values).toEqual({});
      expect(Reflect.get(values, "admin")).toBeUndefined();
    });

    test("A member of the prototype of all objects counts as missing", () => {
      const fields = read({ Constructor: wick("required"), ToString: wick("key=tostring") });
      expect(checkParams(fields, {}).issues).toEqual([
        { path: "constructor", message: "is required" },
      ]);
      expect(checkParams(fields, { constructor: "x" }).values).toEqual({ constructor: "x" });
    });

    const unknownNames = (count: number, name: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 1]));

    test("Up to 20 unknown names are listed; more are refused without naming the known ones", () => {
      const fields = read({ Owner: wick(), PerPage: wick.int() });
      const { issues } = checkParams(fields, unknownNames(20, "owner"));
      expect(issues).toHaveLength(20);
      const { issues: one, values } = checkParams(fields, unknownNames(21, "owner"));
      expect([one.map(({ path }) => path), values]).toEqual([[""], {}]);
      expect(toJsonText(one)).toContain("21 names");
      expect(toJsonText(one)).not.toContain("owner");
    });

    test("Very long unknown names do not make the answer long", () => {
      const { issues } = checkParams(read({ A: wick() }), unknownNames(20, "n".repeat(1000)));
      expect(toJsonText(issues).length).toBeLessThan(4000);
    });

    test("A hundred thousand unknown names are not compared with the known ones", () => {
      let compared = 0;
      const fields = read({ Owner: wick() }).map((field) => ({
        ...field,
        get key() {
          compared += 1;
          return "owner";
        },
      }));
      checkParams(fields, unknownNames(100_000, "x"));
      expect(compared).toBeLessThan(20);
    });

    test("An unknown name that is too long is omitted completely, because it could contain half a secret", () => {
      const fields = read({ A: wick(), Users: wick("picker=users") });
      const long = "s3cret".repeat(11);
      const { issues } = checkParams(fields, { [long]: 1, users: [{ [long]: "1" }] });
      expect(issues.map(({ path }) => path)).toEqual([
        "(a name of 66 characters)",
        "users[0].(a name of 66 characters)",
      ]);
    });
  });

  describe("tables", () => {
    const fields = read({ Headers: wick("kvlist=name|value"), Users: wick("picker=users") });
    const rowsOf = (headers: unknown) => checkParams(fields, { headers });

    test("A table is an array of objects, or JSON text of one", () => {
      const rows = [{ name: "Accept", value: "text/plain" }];
      expect(rowsOf(rows).values.headers).toEqual(rows);
      expect(rowsOf(JSON.stringify(rows)).values.headers).toEqual(rows);
    });

    test("A plain object for a table of two columns gives its rows", () => {
      expect(rowsOf({ Accept: "text/plain", "X-Try": 2 }).values.headers).toEqual([
        { name: "Accept", value: "text/plain" },
        { name: "X-Try", value: "2" },
      ]);
      expect(rowsOf({}).values.headers).toEqual([]);
      expect(rowsOf('{"Accept":"text/plain"}').values.headers).toHaveLength(1);
    });

    test("A plain object that could be a single row is refused", () => {
      expect(rowsOf({ name: "a", value: "b" }).issues[0]?.message).toBe(
        'must be an array of rows, such as [{"name":"…","value":"…"}]',
      );
    });

    test("A plain object is refused for a picker, and for a table of one or three columns", () => {
      const others = read({ One: wick("kvlist"), Three: wick("kvlist=a|b|c") });
      expect(checkParams(others, { one: { x: "y" }, three: { x: "y" } }).issues).toHaveLength(2);
      expect(checkParams(fields, { users: { u1: "Ada" } }).issues).toHaveLength(1);
    });

    test("A missing cell is empty, and a number becomes its digits", () => {
      const rows = parseJson('[{"name":9007199254740993},{"value":null,"name":"b"}]');
      expect(rowsOf(rows).values.headers).toEqual([
        { name: "9007199254740993", value: "" },
        { name: "b", value: "" },
      ]);
    });

    test("An issue in a table names the row and the column", () => {
      expect(rowsOf([{ name: "a" }, { nme: "b" }]).issues).toEqual([
        {
          path: "headers[1].nme",
          message: 'is not a column. Columns: name, value. Did you mean "name"?',
        },
      ]);
      expect(rowsOf([{ name: ["a"] }]).issues).toEqual([
        { path: "headers[0].name", message: "must be text" },
      ]);
      expect(rowsOf(["a"]).issues).toEqual([
        { path: "headers[0]", message: 'must be an object such as {"name":"…","value":"…"}' },
      ]);
      expect(rowsOf(JSON.parse('[{"__proto__":"a"}]')).issues[0]?.path).toBe(
        "headers[0].__proto__",
      );
      for (const raw of ["no json", 3, true, JSON.rawJSON("1e400")]) {
        expect(rowsOf(raw).issues[0]?.message).toStartWith("must be an array of rows");
      }
    });

    test("A picked item needs its id", () => {
      expect(checkParams(fields, { users: [{ id: 7 }] }).values.users).toEqual([
        { id: "7", name: "" },
      ]);
      expect(checkParams(fields, { users: [{ name: "Ada" }] }).issues).toEqual([
        { path: "users[0].id", message: "is required" },
      ]);
    });
  });

  test("An issue of a secret field does not repeat the value", () => {
    const { issues } = checkParams(read({ Token: wick("secret") }), {
      token: { hunter: "hunter2" },
    });
    expect(toJsonText(issues)).not.toContain("hunter");
  });

  test("Any input is checked without an exception or a changed prototype, and a second check gives the same values", () => {
    const fields = read({
      Text: wick("required"),
      Int: wick.int("default=1"),
      Float: wick.float(),
      Bool: wick.bool(),
      Choice: wick("dropdown=a|b;visible_when=bool:true"),
      Rows: wick("kvlist=name|value"),
      Items: wick("picker=p"),
      Any: wick.json(),
      When: wick("datetime"),
    });
    const names = [...fields.map(({ key }) => key), "__proto__", "constructor"];
    const value = fc.oneof(fc.anything({ withBigInt: true }), fc.jsonValue(), fc.double());
    const raw = fc
      .array(fc.tuple(fc.constantFrom(...names), value))
      .map((entries): unknown => Object.fromEntries(entries));
    fc.assert(
      fc.property(fc.oneof(raw, fc.anything()), (given) => {
        const { values, issues } = checkParams(fields, given);
        expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototypeNames);
        for (const key of Object.keys(values)) expect(fields.map((f) => f.key)).toContain(key);
        if (issues.length === 0) expect(checkParams(fields, values)).toEqual({ values, issues });
      }),
      { seed: 2, numRuns: 500 },
    );
  });
});

const prototypeNames = Object.getOwnPropertyNames(Object.prototype);

function read(record: FieldRecord) {
  return parseFields('Connector "tracker"', record);
}
