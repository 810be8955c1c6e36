import { expect, test } from "bun:test";
import { parseTable, writeTable } from "./table-value.ts";

const columns = ["name", "value"];

test("A table is an array of objects; a plain object is its two columns", () => {
  const rows = [{ name: "Accept", value: "text/plain" }];
  expect(parseTable(JSON.stringify(rows), columns)).toEqual(rows);
  expect(parseTable('{"Accept":"text/plain"}', columns)).toEqual(rows);
  expect(parseTable('[{"name":1,"other":2},null]', columns)).toEqual([
    { name: "1", value: "" },
    { name: "", value: "" },
  ]);
});

test("A text that is no table has no rows", () => {
  for (const text of ["", "nonsense", "7", '"text"', "null"]) {
    expect(parseTable(text, columns)).toEqual([]);
  }
});

test("Rows without any text are not saved, and no rows are an empty text", () => {
  expect(writeTable([{ name: "a" }, { name: "", value: "" }, {}], columns)).toBe(
    '[{"name":"a","value":""}]',
  );
  expect(writeTable([{}], columns)).toBe("");
});
