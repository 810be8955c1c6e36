import { expect, test } from "bun:test";
import { alignColumns, toNumber, toReport } from "./table.ts";

const machine = {
  cores: 2,
  cpu: "Some CPU",
  memoryGb: 24,
  kernel: "linux 6.1 x64",
  bun: "1.4.4",
  commit: "abc",
  durableWriteMs: 0.1234,
  loadBefore: 0.2,
};

test("Each row shows its target and whether the value meets it, for upper and lower bounds", () => {
  const row = { unit: "ms", details: { p99_ms: 4.56789 } } as const;
  const report = toReport(machine, [
    { ...row, what: "fast enough", value: 4.9, target: { atMost: 5 } },
    { ...row, what: "too slow", value: 5.1, target: { atMost: 5 } },
    { ...row, what: "too few", value: 11.9, target: { atLeast: 12 } },
    { ...row, what: "just so", value: 1, target: null },
  ]);
  expect(report).toMatch(/^fast enough +4\.9 ms +≤ 5 ms +yes$/m);
  expect(report).toMatch(/^too slow +5\.1 ms +≤ 5 ms +NO$/m);
  expect(report).toMatch(/^too few +11\.9 ms +≥ 12 ms +NO$/m);
  expect(report).toMatch(/^just so +1 ms +– +–$/m);
  expect(report).toContain("p99 ms 4.57");
  expect(report).toContain("2 × Some CPU, 24 GiB");
});

test("Numbers have three digits, and values that were not measured are empty", () => {
  expect(toNumber(98_750.79)).toBe("98,751");
  expect(toNumber(0.012345)).toBe("0.0123");
  expect(toNumber(Number.NaN)).toBe("not measured");
});

test("Columns have the width of their widest cell", () => {
  expect(
    alignColumns([
      ["a", "b"],
      ["long", "c"],
    ]),
  ).toEqual(["a     b", "long  c"]);
});
