import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { randomJsonc } from "../testing/random-jsonc.ts";
import { jsonText } from "./json-text.ts";

const path = { container: "mcpServers", name: "hub" };
const entry = { command: "/bin/hub", args: ["mcp", "serve"], env: { HUB_DATA_DIR: "/data" } };
const other = { command: "other" };

const set = (text: string) => jsonText.set(text, path, entry);
const remove = (text: string, keepsContainer = false) =>
  jsonText.remove(text, path, { keepsContainer });

/** Whether `after` is `before` with at most `max` pieces inserted. */
function isInserted(before: string, after: string, max = 2): boolean {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const rest = before.slice(at);
  const grown = after.slice(at);
  if (grown.endsWith(rest)) return true;
  return max > 1 && grown.startsWith(",") && isInserted(rest, grown.slice(1), max - 1);
}

describe("an entry is added", () => {
  test("An empty file gets one object with the entry", () => {
    expect(set("")).toBe(`${JSON.stringify({ mcpServers: { hub: entry } }, null, 2)}\n`);
  });

  test("An empty object is indented by two spaces", () => {
    expect(jsonText.set("{}", path, other)).toBe(
      '{\n  "mcpServers": {\n    "hub": {\n      "command": "other"\n    }\n  }\n}',
    );
  });

  test("Tabs, line breaks of Windows, comments and the byte order mark stay", () => {
    const text = '\uFEFF{\r\n\t// mine\r\n\t"theme": "dark" // night\r\n}\r\n';
    expect(jsonText.set(text, path, other)).toBe(
      '\uFEFF{\r\n\t// mine\r\n\t"theme": "dark", // night\r\n\t"mcpServers": {\r\n\t\t"hub": {\r\n\t\t\t"command": "other"\r\n\t\t}\r\n\t}\r\n}\r\n',
    );
  });

  test("The entry is indented as the member before it", () => {
    const text = '{"mcpServers": {\n      "a": 1,\n   "b": 2\n}}';
    expect(jsonText.set(text, path, {})).toBe(text.replace("2\n", '2,\n   "hub": {}\n'));
    const inline = '{"mcpServers": {\n  "a": 1, "b": 2\n}}';
    expect(jsonText.set(inline, path, {})).toBe(inline.replace("2\n", '2,\n  "hub": {}\n'));
  });

  test("A file on one line stays on one line", () => {
    expect(jsonText.set('{"a":1,"mcpServers":{"b":{}}}', path, other)).toBe(
      '{"a":1,"mcpServers":{"b":{},"hub":{"command":"other"}}}',
    );
    expect(jsonText.set('{"a": 1}', path, { args: ["x", "y z"] })).toBe(
      '{"a": 1, "mcpServers": {"hub": {"args": ["x", "y z"]}}}',
    );
  });

  test("A trailing comma stays the style of the file", () => {
    expect(jsonText.set('{\n  "mcpServers": {\n    "b": {},\n  },\n}', path, other)).toBe(
      '{\n  "mcpServers": {\n    "b": {},\n    "hub": {\n      "command": "other"\n    },\n  },\n}',
    );
  });

  test("An entry of this name gets the new value at its place", () => {
    const text =
      '{\n  "mcpServers": {\n    "hub": {\n      "command": "old"\n    }, // mine\n    "b": {}\n  }\n}\n';
    expect(jsonText.set(text, path, other)).toBe(text.replace("old", "other"));
  });

  test("An entry on one line stays on one line, also in a file with several", () => {
    const text = '{\n  "mcpServers": {\n    "hub": {"command": "old"}\n  }\n}\n';
    expect(jsonText.set(text, path, other)).toBe(text.replace("old", "other"));
    const empty = text.replace('{"command": "old"}', "{}");
    expect(jsonText.set(empty, path, other)).toBe(
      empty.replace("{}", '{\n      "command": "other"\n    }'),
    );
  });

  test("A name that is a member of every object is added too", () => {
    const odd = { container: "mcpServers", name: "constructor" };
    expect(jsonText.find('{"mcpServers": {}}', odd)).toBeUndefined();
    expect(jsonText.find(jsonText.set('{"mcpServers": {}}', odd, other), odd)).toEqual(other);
  });
});

describe("an entry is removed", () => {
  test.each([
    ["an empty object", "{}"],
    ["other servers", '{\n  "mcpServers": {\n    "b": {}\n  }\n}\n'],
    ["comments", '{\n  // a\n  "theme": 1, // b\n  /* c */\n  "x": 2 /* d */ // e\n  // f\n}\n'],
    ["trailing commas", '{\n\t"mcpServers": {\n\t\t"b": {},\n\t},\n}\n'],
    ["one line", '{"a": 1, "b": [1, 2]}'],
    ["line breaks of Windows", '\uFEFF{\r\n    "a": 1\r\n}\r\n'],
  ])("A file with %s is as before its installation", (_, text) => {
    expect(remove(set(text))).toBe(text);
  });

  test("An entry between others goes with its comma, and the comments stay", () => {
    const text = '{"mcpServers": {\n  "a": {}, // a\n  // hub\n  "hub": {}, // h\n  "b": {}\n}}';
    expect(remove(text)).toBe('{"mcpServers": {\n  "a": {}, // a\n  // hub // h\n  "b": {}\n}}');
  });

  test("An empty container stays if it was there before, or has a comment", () => {
    expect(remove('{"mcpServers": {"hub": {}}}', true)).toBe('{"mcpServers": {}}');
    expect(remove('{"mcpServers": {"hub": {} /* why */}}')).toBe('{"mcpServers": { /* why */}}');
  });
});

describe("a file that cannot be edited is refused", () => {
  test.each([
    ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', "line 3, column 3: comma expected."],
    ["a missing brace", '{\n  "a": 1\n', "line 3, column 1: close brace expected."],
    ["a list", "[]", "line 1, column 1: The file must be an object."],
    ["a text as container", '{"mcpServers": "x"}', 'column 16: "mcpServers" must be an object.'],
    ["two containers", '{"mcpServers": {}, "mcpServers": {}}', '"mcpServers" is there twice.'],
  ])("%s is reported with its place", (_, text, message) => {
    expect(() => set(text)).toThrow(message);
  });

  test("A document of a hundred thousand levels is refused and does not crash", () => {
    expect(() => set("[".repeat(100_000))).toThrow("nested too deeply");
  });
});

test("In any document, adding an entry only inserts text, and removing it restores every byte", () => {
  fc.assert(
    fc.property(randomJsonc, (text) => {
      const body = text.replace(/^\uFEFF/, "");
      const before = parse(body, [], { allowTrailingComma: true });
      const hadEntry = jsonText.find(text, path) !== undefined;
      const after = set(text);
      expect(parse(after.replace(/^\uFEFF/, ""), [], { allowTrailingComma: true })).toEqual({
        ...before,
        mcpServers: { ...before.mcpServers, hub: entry },
      });
      if (hadEntry) return;
      expect(isInserted(text, after)).toBe(true);
      // White space alone in an object is the only text that a removal may change.
      const removed = remove(after, before.mcpServers !== undefined);
      const squeeze = (one: string) => one.replace(/\{\s+\}/g, "{}");
      expect(squeeze(removed)).toBe(squeeze(text));
    }),
    { numRuns: 100 },
  );
});
