import { expect, test } from "bun:test";
import type { CopiedRow, CopiedTable } from "./copied-table.ts";
import { createRowDigest } from "./row-digest.ts";

const table: CopiedTable = {
  name: "t",
  columns: [
    { name: "a", kind: "text" },
    { name: "b", kind: "blob" },
    { name: "c", kind: "integer" },
  ],
  key: ["a"],
};

function digest(...rows: CopiedRow[]) {
  const made = createRowDigest(table);
  for (const row of rows) made.add(row);
  return made.read();
}

const one: CopiedRow = { a: "x", b: new Uint8Array([1, 0]), c: 9007199254740993n };
const two: CopiedRow = { a: "y", b: null, c: 0n };

test("The order of rows and of their columns does not matter", () => {
  expect(digest(one, two)).toEqual(digest(two, { c: 9007199254740993n, b: one.b ?? null, a: "x" }));
});

test("A row that is missing, doubled or changed in the least changes the digest", () => {
  const digests = [
    digest(one, two),
    digest(one),
    digest(one, two, two),
    digest(one, { ...two, c: 1n }),
    digest(one, { ...two, b: new Uint8Array() }),
    digest(one, { ...two, a: "Y" }),
    digest({ ...one, c: 9007199254740992n }, two),
    digest({ ...one, b: new Uint8Array([1]) }, two),
  ];
  expect(new Set(digests.map((made) => made.digest)).size).toBe(digests.length);
});

test("A text is the same as PostgreSQL stores it, and a text is never an integer or bytes", () => {
  expect(digest({ ...two, a: "a\0\ud800" })).toEqual(digest({ ...two, a: "a\u2400\ufffd" }));
  expect(digest({ ...two, a: "1", c: null })).not.toEqual(digest({ ...two, a: null, c: 1n }));
  expect(digest({ ...two, a: "i0" })).not.toEqual(digest({ ...two, a: "0" }));
});
