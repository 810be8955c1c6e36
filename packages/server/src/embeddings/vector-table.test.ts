import { expect, test } from "bun:test";
import { toSmallVector } from "./small-vector.ts";
import { createVectorTable } from "./vector-table.ts";

const make = (...numbers: number[]) => toSmallVector(Float32Array.from(numbers));

async function compare(
  table: ReturnType<typeof createVectorTable>,
  hashes: readonly string[],
  wanted: number[] = hashes.map(() => 1),
) {
  const found = new Float32Array(hashes.length);
  let pauses = 0;
  await table.compare(make(1, 0), {
    slots: Int32Array.from(hashes, table.toSlot),
    wanted: Uint8Array.from(wanted),
    found,
    pause: async () => {
      pauses += 1;
    },
  });
  return { found: [...found].map((cosine) => Math.round(cosine * 100) / 100), pauses };
}

test("Similarities are cosines, and 0 for texts without a vector", async () => {
  const table = createVectorTable();
  table.put("same", make(3, 0));
  table.put("across", make(0, 0.2));
  table.put("between", make(1, 1));
  table.put("opposite", make(-1, 0));
  const { found } = await compare(table, ["same", "across", "between", "opposite", "none"]);
  expect(found).toEqual([1, 0, 0.71, -1, 0]);
});

test("Only wanted places are compared, so that hidden documents cost nothing", async () => {
  const table = createVectorTable();
  table.put("a", make(1, 0));
  table.put("b", make(1, 0));
  expect((await compare(table, ["a", "b"], [0, 1])).found).toEqual([0, 1]);
});

test("A vector of another size is refused, until the table is reset to that size", async () => {
  const table = createVectorTable();
  expect(table.put("a", make(1, 0, 0))).toBeTrue();
  expect(table.put("b", make(1, 0))).toBeFalse();
  expect((await compare(table, ["a"])).found).toEqual([0]);
  const slot = table.toSlot("a");
  table.reset(2);
  expect([table.has("a"), table.count(), table.toSlot("a")]).toEqual([false, 0, slot]);
  expect(table.put("a", make(1, 0, 0))).toBeFalse();
  expect(table.put("b", make(1, 0))).toBeTrue();
});

test("Many vectors are compared in portions", async () => {
  const table = createVectorTable();
  const dimensions = 4_000;
  const vector = new Int8Array(dimensions).fill(1);
  const hashes = Array.from({ length: 1_100 }, (_, at) => `text ${at}`);
  for (const hash of hashes) table.put(hash, vector);
  const found = new Float32Array(hashes.length);
  let pauses = 0;
  await table.compare(vector, {
    slots: Int32Array.from(hashes, table.toSlot),
    wanted: new Uint8Array(hashes.length).fill(1),
    found,
    pause: async () => {
      pauses += 1;
    },
  });
  expect(pauses).toBe(4);
  expect(found.every((cosine) => Math.abs(cosine - 1) < 1e-5)).toBeTrue();
});
