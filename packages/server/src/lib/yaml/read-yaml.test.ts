import { expect, test } from "bun:test";
import { stringify } from "yaml";
import { readYaml as read, type YamlOptions } from "./read-yaml.ts";

const options: YamlOptions = {
  noun: "file",
  advice: "Split it.",
  marksMax: 1_000_000,
  valuesMax: 500_000,
  depthMax: 256,
  admitsDuplicates: false,
  keepsDigits: true,
};
const readYaml = (text: string, more: Partial<YamlOptions> = {}) =>
  read(text, { ...options, ...more });

test("A text of YAML or JSON has the values that it is written with, and its large numbers keep their digits", () => {
  const value = {
    text: "yes",
    number: "012",
    none: null,
    list: [1, -2.5, true, ["x"]],
    empty: {},
    lines: "one\n  two\n",
    quote: `it's "so"`,
    "a: b": "#",
    __proto: "p",
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

test("A path has the line of its value, or of what is around it", () => {
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
  for (const [path, line] of lines) expect([path, findLine(path)]).toEqual([path, line]);
});

test("A mistake has its line", () => {
  for (const [text, line, column] of [
    ["a: 1\nb: [\n  x", 3, 4],
    ["a: 1\nb: 2\na: 3", 3, 1],
    ["a: *none", 1, 5],
    ["a: 1\n---\nb: 2", null, null],
    // After a line that got spaces, and on one.
    ["a:\n  b: {\n  }\n  c: d: e", 4, 7],
    ["a:\n  b: {\n  } }", 3, 5],
  ] as const) {
    const fault = expect.objectContaining({ name: "YamlFault", line, column });
    expect(() => readYaml(text)).toThrow(fault);
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
  ["aliases of aliases", nestAliases(mebibyte / 4), /keys and values, with those that its aliases/],
  ["many objects", `rows: [${"{a: {}},".repeat(mebibyte / 2)}]`, /lines, commas, colons, hyphens/],
  ["many numbers", `{"rows": [${"1,".repeat(mebibyte)}1]}`, /lines, commas, colons, hyphens/],
  ["many values", `{"rows": [${"1,".repeat(600_000)}1]}`, /keys and values/],
  ["many comments", "# x\n".repeat(mebibyte), /lines, commas, colons, hyphens/],
  ["depth", `a: ${"[".repeat(mebibyte)}`, /lines, commas, colons, hyphens/],
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
    connector: "http",
    label: `Row ${at}`,
    tags: ["a", "b"],
    enabled: true,
    values: { base_url: `https://${at}.example`, token: "keep", list: "one, two: [three]\n- four" },
    operations: { get: true, delete: false, post: true },
  }));
  const { value } = readYaml(JSON.stringify({ rows }, null, 2));
  // A matcher of so many members costs more than reading them.
  expect(JSON.stringify(value)).toBe(JSON.stringify({ rows }));
});

const lenient: [string, string, unknown][] = [
  [
    "a closing bracket below its key",
    "a:\n  b: {\n    x: 1\n  }\n  c: 2",
    { a: { b: { x: 1 }, c: 2 } },
  ],
  [
    "a closing bracket at the start of a line",
    "a:\n  b: [\n    1\n]\nc: 2",
    { a: { b: [1] }, c: 2 },
  ],
  ["members left of their key", "a:\n    b: {\n  x: 1,\n  y: 2\n  }", { a: { b: { x: 1, y: 2 } } }],
  ["a quoted text that goes on further left", 'a:\n  b: "x\n y"', { a: { b: "x y" } }],
  [
    "merge keys",
    "a: &a {x: 1, y: 1}\nb:\n  <<: *a\n  y: 2",
    { a: { x: 1, y: 1 }, b: { x: 1, y: 2 } },
  ],
  [
    "merge keys of several mappings",
    "a: &a {x: 1}\nc: &c {x: 3, z: 3}\nb: {<<: [*a, *c]}",
    { a: { x: 1 }, c: { x: 3, z: 3 }, b: { x: 1, z: 3 } },
  ],
  [
    "a block text with brackets",
    "a:\n  b: {\n  }\n  c: |\n    {\n    }\n  d: 1",
    { a: { b: {}, c: "{\n}\n", d: 1 } },
  ],
  [
    "a block text that begins with a bracket",
    "a:\n  b: {\n  }\n  c: |\n    }\n    x\n",
    { a: { b: {}, c: "}\nx\n" } },
  ],
  ["lines that end with carriage returns", "a:\r\n  b: {\r\n  }\r\n  c: 1", { a: { b: {}, c: 1 } }],
  ["a byte order mark", "\uFEFFa: 1", { a: 1 }],
];

test.each(lenient)("A text with %s is read as other parsers read it", (_, text, value) => {
  expect(readYaml(text).value).toEqual(value);
});

test("Hundreds of closing brackets below their keys take a few tries", () => {
  const one = (at: number) => `  k${at}:\n    e: {\n      a: 1\n    }\n    f: [\n      1\n    ]\n`;
  const text = `a:\n${Array.from({ length: 600 }, (_, at) => one(at)).join("")}`;
  expect(Object.keys(Object(readYaml(text).value).a)).toHaveLength(600);
});

test("What aliases repeat are copies, so a change of one leaves the others as they are", () => {
  const { value } = readYaml("a: &a {x: 1}\nb: *a\nc: {<<: *a}");
  const { a, b } = Object(value);
  b.x = 2;
  expect(a).toEqual({ x: 1 });
});

test("As in JSON, the last of several members counts, and numbers are rounded, if the caller wants so", () => {
  const lax = { admitsDuplicates: true, keepsDigits: false };
  expect(readYaml("a: 1\na: 12345678901234567890", lax).value).toEqual({ a: 12345678901234567000 });
});

test("Merges that multiply are counted before they are made", () => {
  const levels = Array.from({ length: 30 }, (_, at) => {
    const before = at === 0 ? "{x: 1}" : `{<<: [*a${at - 1}, *a${at - 1}], k${at}: 1}`;
    return `a${at}: &a${at} ${before}`;
  });
  expect(() => readYaml(levels.join("\n"))).toThrow(/keys and values/);
});

test("Aliases of a long text are counted by its characters, before they are made", () => {
  const long = "y".repeat(500_000);
  const repeat = (count: number) => `x: &x "${long}"\nl:\n${"- *x\n".repeat(count)}`;
  expect(Object(readYaml(repeat(30)).value).l).toHaveLength(30);
  expect(() => readYaml(repeat(40))).toThrow("The aliases of the file repeat texts of more than");
  const nested = `x: &x ["${long}"]\ny: &y [*x, *x, *x, *x]\nz: [*y, *y, *y, *y, *y, *y, *y, *y]`;
  expect(() => readYaml(nested)).toThrow("The aliases of the file repeat texts of more than");
});

test("Of a text with many values, few tries are made to read lines with too little indentation", () => {
  const short = Array.from({ length: 200 }, (_, at) => `x${at}: 1,\n`).join("");
  const text = (values: number) => `k: [${"1,".repeat(values)}1]\na:\n  b: {\n${short}}\n`;
  const readLine = (values: number) => {
    try {
      readYaml(text(values));
    } catch (fault) {
      return Object(fault).line;
    }
  };
  // Each try reads one line further.
  expect(readLine(10)).toBeGreaterThan(90);
  expect(readLine(50_000)).toBeWithin(4, 20);
});
