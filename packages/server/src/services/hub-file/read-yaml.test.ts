import { expect, test } from "bun:test";
import { stringify } from "yaml";
import { readYaml } from "./read-yaml.ts";

test("A text of YAML or JSON has the values that it is written with, and its large numbers keep their digits", () => {
  const value = {
    ...{ text: "yes", number: "012", none: null, list: [1, -2.5, true, ["x"]], empty: {} },
    ...{ lines: "one\n  two\n", quote: `it's "so"`, "a: b": "#", __proto: "p" },
  };
  expect(readYaml(stringify(value)).value).toEqual(value);
  expect(readYaml(JSON.stringify(value)).value).toEqual(value);
  const { value: numbers } = readYaml(
    "[012, 9007199254740991, 12345678901234567890, -012345678901234567890]",
  );
  expect(JSON.stringify(numbers)).toBe(
    "[12,9007199254740991,12345678901234567890,-12345678901234567890]",
  );
  expect(readYaml("12345678901234567890: x").value).toEqual({ "12345678901234567890": "x" });
  expect(readYaml('{"__proto__": 1}').value).toHaveProperty(["__proto__"], 1);
  expect(readYaml("# nothing").value ?? null).toBe(null);
});

test("A place has the line of its value, or of what is around it", () => {
  const { findLine } = readYaml(
    [
      "# a comment, with: marks",
      "first: 1",
      '"second key": # where it begins',
      "  - { x: [1,",
      "      2] }",
      "  - text: |",
      "      line",
      "    empty:",
      "last: &it { a: 1 }",
      "again: *it",
    ].join("\n"),
  );
  const lines: [(string | number)[], number][] = [
    [["first"], 2],
    [["second key", 0, "x", 1], 5],
    [["second key", 1, "text"], 6],
    [["second key", 1, "empty"], 8],
    [["second key", 1, "empty", "none"], 8],
    [["second key", 7], 4],
    [["again", "a"], 10],
    [["none"], 2],
    [[], 2],
  ];
  for (const [place, line] of lines) expect([place, findLine(place)]).toEqual([place, line]);
});

test("A mistake has its line", () => {
  for (const [text, line] of [
    ["a: 1\nb: [\n  x", 3],
    ["a: 1\nb: 2\na: 3", 3],
    ["a: *none", 1],
    ["a: 1\n---\nb: 2", null],
  ] as const) {
    expect(() => readYaml(text)).toThrow(expect.objectContaining({ name: "YamlFault", line }));
  }
});

const mebibyte = 1024 * 1024;

function nestAliases(bytes: number): string {
  const levels = Array.from({ length: bytes / 60 }, (_, at) => {
    const before = at === 0 ? '"x"' : `*a${at - 1}`;
    return `a${at}: &a${at} [${Array(9).fill(before).join()}]`;
  });
  return levels.join("\n");
}

const hostile: [string, string, RegExp][] = [
  ["aliases of aliases", nestAliases(2 * mebibyte), /keys and values, with those that its aliases/],
  ["many objects", `rows: [${"{a: {}},".repeat(mebibyte / 2)}]`, /lines, commas, colons, hyphens/],
  ["many numbers", `{"rows": [${"1,".repeat(4 * mebibyte)}1]}`, /lines, commas, colons, hyphens/],
  ["many values", `{"rows": [${"1,".repeat(600_000)}1]}`, /keys and values/],
  ["many comments", "# x\n".repeat(2.4 * mebibyte), /lines, commas, colons, hyphens/],
  ["depth", `a: ${"[".repeat(4 * mebibyte)}`, /lines, commas, colons, hyphens/],
  ["some depth", `a: ${"[".repeat(60_000)}`, /nested deeper than 256 levels/],
  [
    "depth by aliases",
    `a0: &a0 [1]\n${Array.from({ length: 400 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}]`).join("\n")}`,
    /nested deeper/,
  ],
  ["an alias that contains itself", "a: &a [*a]", /contains itself/],
];

for (const [name, text, message] of hostile) {
  test(`A text with ${name} is refused before its values are made`, () => {
    expect(() => readYaml(text)).toThrow(message);
  });
}

test("Five thousand rows with twenty values each are read", () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({
    ...{ connector: "http", label: `Row ${at}`, tags: ["a", "b"], enabled: true },
    values: { base_url: `https://${at}.example`, token: "keep", list: "one, two: [three]\n- four" },
    operations: { get: true, delete: false, post: true },
  }));
  expect(readYaml(JSON.stringify({ rows }, null, 2)).value).toEqual({ rows });
});
