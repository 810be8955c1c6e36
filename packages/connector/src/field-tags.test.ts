/** `tsc` checks the types. `expectType` does nothing at run time. */
import { describe, expect, test } from "bun:test";
import { type Field, type FieldValues, wick } from "./field-tags.ts";
import type { Integer } from "./fields/number-value.ts";

describe("the type of a field's value follows from its tag", () => {
  test("A field that may be missing can be undefined", () => {
    expectType<ValueOf<typeof text>, string | undefined>(true);
    expectType<ValueOf<typeof integer>, Integer | undefined>(true);
    expectType<ValueOf<typeof float>, number | undefined>(true);
    expectType<ValueOf<typeof bool>, boolean | undefined>(true);
    expect([text, integer, float, bool].map(({ base }) => base)).toEqual([
      "text",
      "integer",
      "float",
      "boolean",
    ]);
  });

  test("required and default= remove undefined", () => {
    const required = wick("url;required;desc=Where");
    const seeded = wick.int("desc=How often;default=3");
    expectType<ValueOf<typeof required>, string>(true);
    expectType<ValueOf<typeof seeded>, Integer>(true);
    expect(required.tag).toBe("url;required;desc=Where");
  });

  test("An escaped semicolon or backslash does not end an attribute", () => {
    const escaped = wick("desc=a\\;required");
    const backslash = wick("desc=a\\\\;required");
    const both = wick("desc=a\\\\\\;required");
    expectType<ValueOf<typeof escaped>, string | undefined>(true);
    expectType<ValueOf<typeof backslash>, string>(true);
    expectType<ValueOf<typeof both>, string | undefined>(true);
    expect(both.tag).toBe("desc=a\\\\\\;required");
  });

  test("White space around an attribute is removed", () => {
    const spaced = wick("url; required ;\n\tdesc=x");
    expectType<ValueOf<typeof spaced>, string>(true);
    expect(spaced.base).toBe("text");
  });

  test("The type of a dropdown is the union of its options", () => {
    const mode = wick("dropdown=basic|token;default=basic");
    const odd = wick("dropdown=a\\;b|c\\\\");
    const level = wick.int("dropdown=1|2;required");
    expectType<ValueOf<typeof mode>, "basic" | "token">(true);
    expectType<ValueOf<typeof odd>, "a;b" | "c\\" | undefined>(true);
    expectType<ValueOf<typeof level>, Integer>(true);
    expect(level.base).toBe("integer");
  });

  test("checkbox and number change the type of a text field", () => {
    const toggle = wick("checkbox;required");
    const alias = wick("bool");
    const number = wick("number;default=1");
    const integer = wick.int("number;default=1");
    expectType<ValueOf<typeof toggle>, boolean>(true);
    expectType<ValueOf<typeof alias>, boolean | undefined>(true);
    expectType<ValueOf<typeof number>, number>(true);
    expectType<ValueOf<typeof integer>, Integer>(true);
    expect(toggle.tag).toBe("checkbox;required");
  });

  test("The type of a table is an array of its columns, of a picker an array of items", () => {
    const headers = wick("kvlist=name|value;required");
    const list = wick("kvlist");
    const users = wick("picker=users");
    expectType<ValueOf<typeof headers>, Record<"name" | "value", string>[]>(true);
    expectType<ValueOf<typeof list>, Record<"value", string>[] | undefined>(true);
    expectType<ValueOf<typeof users>, { id: string; name: string }[] | undefined>(true);
    expect(headers.base).toBe("text");
  });

  test("Other widgets do not change the type", () => {
    const secret = wick("secret;required");
    const html = wick.int("html=show_orgs;required");
    expectType<ValueOf<typeof secret>, string>(true);
    expectType<ValueOf<typeof html>, Integer>(true);
    expect(html.base).toBe("integer");
  });

  test("The type of JSON, and of a tag that is not a literal, is unknown", () => {
    const json = wick.json("required");
    const computed = wick(`desc=${String(1)}`);
    const wide: string = "required";
    const opaque = wick(wide);
    expectType<ValueOf<typeof json>, unknown>(true);
    expectType<ValueOf<typeof opaque>, unknown>(true);
    expect([json.base, computed.tag]).toEqual(["json", "desc=1"]);
  });

  test("Long tags have types too", () => {
    const long = wick(
      "dropdown=a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q|r|s|t|u|v|w|x|y|z;desc=One\\; two\\; three\\; four\\; five\\; six\\; seven\\; eight\\; nine\\; ten\\; eleven\\; twelve: a description may be as long as it needs to be, and then some more words to be sure of it;group=Long|With a description\\; of course|collapsed;required",
    );
    expectType<Exclude<"a" | "z" | "zz", ValueOf<typeof long>>, "zz">(true);
    expect(long.base).toBe("text");
  });

  test("The values of a record have its field names", () => {
    const record = { BaseURL: wick("required"), Retries: wick.int() };
    expectType<FieldValues<typeof record>, { BaseURL: string; Retries: Integer | undefined }>(true);
    expect(Object.keys(record)).toEqual(["BaseURL", "Retries"]);
  });
});

const text = wick();
const integer = wick.int("");
const float = wick.float("desc=x");
const bool = wick.bool();

type ValueOf<Tagged> = Tagged extends Field<infer Value> ? Value : never;

type IsSame<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function expectType<A, B>(_isSame: IsSame<A, B>): void {}
