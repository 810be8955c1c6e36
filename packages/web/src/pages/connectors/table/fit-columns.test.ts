import { expect, test } from "bun:test";
import { fitColumns } from "./fit-columns.ts";

const columns = [
  { key: "label", minRem: 10, rank: 0 },
  { key: "tags", minRem: 6, rank: 1 },
  { key: "calls", minRem: 3, rank: 2 },
];
const keysOf = (widthRem: number | null) => fitColumns(columns, widthRem).map(({ key }) => key);

test("The columns that matter least are left out first, and the first one never", () => {
  expect(keysOf(null)).toEqual(["label", "tags", "calls"]);
  expect(keysOf(23)).toEqual(["label", "tags", "calls"]);
  expect(keysOf(22.9)).toEqual(["label", "calls"]);
  expect(keysOf(4)).toEqual(["label"]);
});
