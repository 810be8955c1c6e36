/** Protects: what identity providers ask for is read whole or refused, and no text takes long. */
import { describe, expect, test } from "bun:test";
import { parseFilter, parsePath } from "./read-terms.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0:User";

describe("filters", () => {
  test.each([
    [
      'userName eq "Ada@Example.com"',
      [{ attribute: "username", elements: [], value: "Ada@Example.com" }],
    ],
    ['USERNAME EQ "a"', [{ attribute: "username", elements: [], value: "a" }]],
    ['userName eq "a\\"b\\\\"', [{ attribute: "username", elements: [], value: 'a"b\\' }]],
    ['userName eq "ä ] and ["', [{ attribute: "username", elements: [], value: "ä ] and [" }]],
    [`${core}:userName eq "a"`, [{ attribute: "username", elements: [], value: "a" }]],
    ["active eq true", [{ attribute: "active", elements: [], value: true }]],
    [
      'emails[type eq "work"].value eq "x"',
      [{ attribute: "emails.value", elements: [{ attribute: "type", value: "work" }], value: "x" }],
    ],
    [
      'members[value eq "1"]',
      [{ attribute: "members", elements: [{ attribute: "value", value: "1" }] }],
    ],
    [
      'id eq "1"  and members eq "2"',
      [
        { attribute: "id", elements: [], value: "1" },
        { attribute: "members", elements: [], value: "2" },
      ],
    ],
  ])("%s is read", (text, terms) => {
    expect(parseFilter(text)).toEqual(terms);
  });

  test.each([
    "",
    "userName",
    "userName eq",
    "userName eq a",
    'userName eq "a',
    'userName eq "a" or userName eq "b"',
    'userName co "a"',
    "userName pr",
    'not (userName eq "a")',
    'userName eq "a" userName eq "b"',
    'emails[type eq "work".value eq "x"',
    'emails[].value eq "x"',
    "active eq 1e999",
    'userName eq "a\\u00"',
    Array.from({ length: 11 }, () => 'userName eq "a"').join(" and "),
  ])("%s is refused", (text) => {
    expect(() => parseFilter(text)).toThrow(
      expect.objectContaining({ code: "bad_request", detail: { scim_type: "invalidFilter" } }),
    );
  });

  test("A text of any length is read in one pass or refused (attack: quadratic texts)", () => {
    for (const part of [" ", "[", '"', "\\", "a.", "and ", 'a eq "', "a[a eq 1"]) {
      expect(() => parseFilter(part.repeat(1_000_000))).toThrow(/not understood at character 1/);
    }
  });
});

describe("paths", () => {
  test.each([
    ["active", { attribute: "active", elements: null, sub: null }],
    ["name.givenName", { attribute: "name.givenname", elements: null, sub: null }],
    [`${core}:name.familyName`, { attribute: "name.familyname", elements: null, sub: null }],
    [
      'emails[type eq "work"].value',
      { attribute: "emails", elements: [{ attribute: "type", value: "work" }], sub: "value" },
    ],
    [
      'members[value eq "id"]',
      { attribute: "members", elements: [{ attribute: "value", value: "id" }], sub: null },
    ],
    [
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager",
      {
        attribute: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:manager",
        elements: null,
        sub: null,
      },
    ],
  ])("%s is read", (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });

  test.each([
    "",
    "emails[",
    "a b",
    ".a",
    "a.",
    'members[value eq "id"]x',
    "members[value pr]",
  ])("%s is refused", (text) => {
    expect(() => parsePath(text)).toThrow(
      expect.objectContaining({ detail: { scim_type: "invalidPath" } }),
    );
  });
});
