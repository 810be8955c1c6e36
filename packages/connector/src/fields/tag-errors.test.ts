import { describe, expect, test } from "bun:test";
import { type Field, type FieldRecord, wick } from "../field-tags.ts";
import { parseFields } from "./parse-fields.ts";

describe("a malformed tag causes an error that names the field and the attribute", () => {
  test.each<[string, Field, string]>([
    [
      "an unknown name",
      tag("requird"),
      'attribute "requird" is not known. Did you mean "required"?',
    ],
    ["a capital", tag("Url"), 'attribute "Url" is not known. Did you mean "url"?'],
    ["space before =", tag("desc =x"), 'attribute "desc " is not known. Did you mean "desc"?'],
    ["a colon for =", tag("mode: fixed"), 'attribute "mode: fixed" is not known.'],
    ["the name of an object's own", tag("constructor"), 'attribute "constructor" is not known.'],
    ["an empty attribute", tag("url;;required"), 'attribute "" has no name'],
    ["a semicolon at the end", tag("url;"), 'attribute "" has no name'],
    ["a value without a name", tag("=x"), 'attribute "=x" has no name'],
    ["a lone backslash", tag("desc=C:\\temp"), 'attribute "desc" has a lone backslash'],
    ["a backslash at the end", tag("required\\"), 'attribute "required" has a lone backslash'],
    ["a value for a flag", tag("required=true"), 'attribute "required" takes no value'],
    ["a value for a plain widget", tag("url=x"), 'attribute "url" takes no value'],
    ["a description without text", tag("desc"), 'attribute "desc" needs a value'],
    ["an empty default", tag("default="), 'attribute "default" needs a value'],
    ["a dropdown without options", tag("dropdown"), 'attribute "dropdown" needs a value'],
    ["an empty option", tag("dropdown=a||b"), 'attribute "dropdown" has an empty item'],
    ["an option twice", tag("dropdown=a|b|a"), 'attribute "dropdown" names "a" twice'],
    ["an empty column list", tag("kvlist="), 'attribute "kvlist" has an empty item'],
    ["a column twice", tag("kvlist=a|a"), 'attribute "kvlist" names "a" twice'],
    ["a column __proto__", tag("kvlist=a|__proto__"), 'attribute "kvlist" cannot hold "__proto__"'],
    ["a picker without source", tag("picker"), 'attribute "picker" needs a value'],
    ["html without operation", tag("html="), 'attribute "html" needs a value'],
    [
      "html with no key",
      tag("html=Show status"),
      'attribute "html" "Show status" is not a valid operation key',
    ],
    ["a key with a hyphen", tag("key=base-url"), 'attribute "key" "base-url" is not a valid key'],
    ["a key __proto__", tag("key=__proto__"), 'attribute "key" "__proto__" is not a valid key'],
    ["a key too long", tag(`key=${"a".repeat(65)}`), 'attribute "key"'],
    ["an unknown mode", tag("mode=fixd"), 'must be fixed or expression. Did you mean "fixed"?'],
    ["a group without title", tag("group=|x"), 'attribute "group" must be like'],
    ["a group of four parts", tag("group=a|b|collapsed|c"), 'attribute "group" must be like'],
    [
      "another third part",
      tag("group=a|b|colapsed"),
      'attribute "group" can have only "collapsed"',
    ],
    [
      "a condition without value",
      tag("visible_when=mode"),
      'attribute "visible_when" must be like',
    ],
    ["a condition on nothing", tag("visible_when=:a"), 'attribute "visible_when" must be like'],
    ["an empty value", tag("visible_when=mode:a|"), 'attribute "visible_when" must be like'],
  ])("%s", (_what, field, message) => {
    expect(() => read({ BaseURL: field })).toThrow('Connector "logs", field BaseURL: attribute ');
    expect(() => read({ BaseURL: field })).toThrow(message);
  });
});

describe("a tag that contradicts itself or its field causes an error", () => {
  test.each<[string, Field, string]>([
    ["two widgets", tag("url;email"), 'attribute "email" contradicts "url"'],
    ["two aliases", tag("bool;boolean"), 'attribute "boolean" contradicts "bool"'],
    ["a modifier twice", tag("required;url;required"), 'attribute "required" is a duplicate'],
    [
      "a widget that does not fit text rows",
      wick.int("textarea"),
      'attribute "textarea" does not fit a field of base type integer',
    ],
    [
      "a table of numbers",
      wick.float("kvlist"),
      'attribute "kvlist" does not fit a field of base type float',
    ],
    [
      "a secret switch",
      wick.bool("secret"),
      'attribute "secret" does not fit a field of base type boolean',
    ],
    [
      "a number of JSON",
      wick.json("number"),
      'attribute "number" does not fit a field of base type json',
    ],
    [
      "a default that is no number",
      wick.int("default=many"),
      'attribute "default" has the value "many", which must be a whole number',
    ],
    [
      "a default that is no boolean",
      wick.bool("default=yes"),
      'attribute "default" has the value "yes", which must be true or false',
    ],
    [
      "a default that is no option",
      tag("dropdown=basic|token;default=tokn"),
      'which must be one of basic, token. Did you mean "token"?',
    ],
    ["a default that is no URL", tag("url;default=example.com"), "which must be a full URL"],
    ["a default that is no table", tag("kvlist=a|b;default=x"), "which must be an array of rows"],
    ["a default that is no JSON", wick.json("default={"), "which must be valid JSON"],
    [
      "an option that is no number",
      wick.int("dropdown=1|two"),
      'attribute "dropdown" has the value "two"',
    ],
    [
      "one number in two spellings",
      wick.int("dropdown=1|01"),
      'attribute "dropdown" names "1" twice',
    ],
  ])("%s", (_what, field, message) => {
    expect(() => read({ Value: field })).toThrow('Connector "logs", field Value: attribute ');
    expect(() => read({ Value: field })).toThrow(message);
  });
});

describe("fields that contradict each other cause an error", () => {
  test("Two fields with the same key are refused", () => {
    expect(() => read({ OrgID: wick(), Org: wick("key=org_id") })).toThrow(
      'Connector "logs", field Org: has the key "org_id", as OrgID has; give one of them "key=…"',
    );
  });

  test("A name without letters or digits gives no key and is refused", () => {
    for (const name of ["Straße", "with space", "9lives", "a-b", "", "A".repeat(65)]) {
      expect(() => read({ [name]: wick() })).toThrow("the name gives no key of a-z, 0-9 and _");
    }
  });

  test.each<[string, FieldRecord, string]>([
    [
      "an unknown field",
      { AuthMode: wick(), Token: wick("visible_when=auth_mod:a") },
      'names no field "auth_mod". Did you mean "auth_mode"?',
    ],
    ["itself", { Token: wick("visible_when=token:a") }, "names its own field"],
    [
      "a value that the field cannot have",
      { AuthMode: wick("dropdown=basic|token"), Token: wick("visible_when=auth_mode:tokn") },
      'has the value "tokn", which must be one of basic, token. Did you mean "token"?',
    ],
    [
      "a secret",
      { Key: wick("secret"), Token: wick("visible_when=key:a") },
      "cannot depend on the value of Key, a secret field",
    ],
    [
      "a table",
      { Rows: wick("kvlist"), Token: wick("visible_when=rows:a") },
      "cannot depend on the value of Rows, a kvlist field",
    ],
  ])("A visible_when that names %s is refused", (_what, record, message) => {
    expect(() => read(record)).toThrow(
      `Connector "logs", field Token: attribute "visible_when" ${message}`,
    );
  });

  test("Two descriptions of one group are refused", () => {
    const record = { A: wick("group=Net|One"), B: wick("group=Net|One"), C: wick("group=Net|Two") };
    expect(() => read(record)).toThrow(
      'Connector "logs", field C: attribute "group" gives "Net" a second description',
    );
  });
});

/** A tag without a literal type, so that tests can write invalid ones. */
function tag(text: string): Field {
  return { base: "text", tag: text };
}

function read(record: FieldRecord) {
  return parseFields('Connector "logs"', record);
}
