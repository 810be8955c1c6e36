import { expect, test } from "bun:test";
import { findJsonFault } from "./find-json-fault.ts";
import { scanJson } from "./scan-json.ts";

const free = { yieldToEventLoop: async () => {} };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const samples = [
  ...[
    '{"a":[1,2.5e-3,true,false,null,"x\\u00e9\\n"],"b":{}}',
    "[]",
    "{}",
    ' [ 1 , { "a" : 2 } ] ',
    "-0",
    "1e999",
  ],
  ...[
    "",
    " ",
    "[",
    "]",
    "{",
    "}",
    "[1,]",
    "[,1]",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{1:2}",
    "[1 2]",
    '{"a" 1}',
    "01",
    "+1",
  ],
  ...[
    "1.",
    ".5",
    "1e",
    "-",
    "tru",
    "truee",
    "nulll",
    '"',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\n"',
    '"\t"',
    "\ufeff1",
    "[}",
    "{]",
  ],
  ...[
    "1 2",
    '"a""b"',
    "[[]",
    "[]]",
    '{"a":[}',
    "'a'",
    "\u00a01",
    '"\\"',
    '"\\\\"',
    "[1}",
    '{"a":1]',
    "\u2028[]",
    '"\ud800"',
    '"\u0000"',
  ],
];

test.each(
  samples.map((text) => [JSON.stringify(text), text]),
)("%s is JSON if JSON.parse takes it", async (_, text) => {
  expect((await findJsonFault(free, text)) === null).toBe(isJson(text));
});

test("Random texts are JSON exactly if JSON.parse takes them", async () => {
  let state = 11;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const parts = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"',
    '"a"',
    "1",
    "-",
    "0.5",
    "e3",
    "true",
    "null",
    " ",
    "\\",
    "\\u0041",
    "\n",
  ];
  const counts = { valid: 0, broken: 0 };
  for (let round = 0; round < 20_000; round += 1) {
    const from = samples[random(8)] ?? "";
    const at = random(from.length + 1);
    const text = from.slice(0, at) + parts[random(parts.length)] + from.slice(at + random(3));
    const isValid = isJson(text);
    if (((await findJsonFault(free, text)) === null) !== isValid)
      throw new Error(JSON.stringify(text));
    counts[isValid ? "valid" : "broken"] += 1;
  }
  expect(counts.valid).toBeGreaterThan(1_000);
  expect(counts.broken).toBeGreaterThan(1_000);
});

const limits = { depthMax: 3, valuesMax: 6, longNumberCharsMax: 80 };
const long = "1".repeat(40);

test.each([
  ["[[[1]]]", null],
  ["[[[[1]]]]", "depth"],
  ["[1,2,3,4,5]", null],
  ["[1,2,3,4,5,6]", "values"],
  ['{"a":1,"b":2,"c":3,"d":4}', null],
  ["[[],[],[]]", "values"],
  [`[${long},${long}]`, null],
  [`[${long},${long},${long}]`, "long numbers"],
  [`["${long}","${long}","${long}"]`, null],
  [`[${"1".repeat(32)},${"1".repeat(32)},${"1".repeat(32)}]`, null],
  ["[[[[", "depth"],
])("What is too expensive to parse is found: %s", async (text, fault) => {
  expect(await findJsonFault(free, text, limits)).toBe(fault as never);
});

test.each([
  ['{"a":[1,2.5,"x,[{"],"b":{}}', 2, 7],
  ["[[],{},[[1,2],3]]", 3, 10],
  ['[{"a":{"b":[1]}},"\\"]["]', 4, 6],
])("Depth and values of %s are counted as scanJson does", async (text, depth, values) => {
  const atLimit = { depthMax: depth, valuesMax: values };
  expect(scanJson(text, atLimit)).toEqual({ excess: null, values });
  expect(await findJsonFault(free, text, atLimit)).toBeNull();
  const deeper = { ...atLimit, depthMax: depth - 1 };
  expect(scanJson(text, deeper).excess).toBe("depth");
  expect(await findJsonFault(free, text, deeper)).toBe("depth");
  const longer = { ...atLimit, valuesMax: values - 1 };
  expect(scanJson(text, longer).excess).toBe("values");
  expect(await findJsonFault(free, text, longer)).toBe("values");
});

const size = 3 * 1024 * 1024;

test.each([
  ["numbers", `[${"12,".repeat(size / 3)}1]`],
  ["lists in lists", "[".repeat(size / 2) + "]".repeat(size / 2)],
  ["one text of escapes", `"${"\\n".repeat(size / 2)}"`],
  ["spaces", `[${" ".repeat(size)}1]`],
])("A large text of %s is read in steps, with a turn of the event loop after each", async (_, text) => {
  let turns = 0;
  const yieldToEventLoop = async () => {
    turns += 1;
  };
  expect(await findJsonFault({ yieldToEventLoop }, text)).toBeNull();
  expect(turns).toBe(Math.ceil(text.length / (512 * 1024)) - 1);
});
