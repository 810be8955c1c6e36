/** Protects: each rule makes the faults that it is for. */
import { expect, test } from "bun:test";
import { applyFault, listFaults } from "./find-faults.ts";

/** What a text becomes by the faults of one kind. */
const make = (kind: string, text: string) =>
  listFaults("a.ts", text)
    .filter((fault) => fault.kind === kind)
    .map((fault) => applyFault(text, fault));

test.each([
  [
    "element dropped",
    'const a = new Set(["b", "c"]);',
    ['const a = new Set([ "c"]);', 'const a = new Set(["b", ]);'],
  ],
  ["element dropped", "const a = [b];", []],
  ["unit dropped", "const a = Math.ceil((b - c) / 1000);", ["const a = Math.ceil(((b - c)));"]],
  ["unit dropped", "const a = 60 * b;", ["const a = (b);"]],
  ["unit dropped", "const a = 24 * 60;", []],
  ["bound dropped", "const a = Math.abs(b);", ["const a = (b);"]],
  ["bound dropped", "const a = Math.max(b, 0);", ["const a = (b);", "const a = (0);"]],
  ["wrapping dropped", "const a = hide(b);", ["const a = (b);"]],
  ["wrapping dropped", "hide(b);", []],
  ["wrapping dropped", "const a = list(() => b);", []],
  [
    "part of text dropped",
    `const a = \`\${b}:\${c}\`;`,
    [`const a = \`\${""}:\${c}\`;`, `const a = \`\${b}:\${""}\`;`],
  ],
  ["sign turned", "a -= b;", ["a += b;"]],
  ["sign turned", "const a = b - c;", ["const a = b + c;"]],
  [
    "returned value changed",
    "const a = () => ({ b: c, d: 0 });",
    ["const a = () => ({ b: null, d: 0 });", "const a = () => ({ b: c, d: 1 });"],
  ],
  ["returned value changed", "function a() { return { b: null, c }; }", []],
  ["condition negated", "if (a) b();", ["if (!(a)) b();"]],
  ["limit × 1000", "const a = 32 * 1024;", ["const a = 32 * 1000 * 1024;"]],
])("%s: %s", (kind, text, expected) => {
  expect(make(kind, text)).toEqual(expected);
});
