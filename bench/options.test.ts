import { expect, test } from "bun:test";
import type { Measure } from "./measure.ts";
import { readOptions } from "./options.ts";

const measures: Measure[] = ["execute", "search"].map((name) => ({ name, run: async () => [] }));
const toNames = (args: string[]) => readOptions(args, measures).picked.map(({ name }) => name);

test("Names select measures, and without names all measures run", () => {
  expect(toNames([])).toEqual(["execute", "search"]);
  expect(toNames(["search"])).toEqual(["search"]);
  expect(() => toNames(["serach"])).toThrow('There is no measure "serach". There are: execute,');
});

test("The number of audit rows comes from the plan or from the flag", () => {
  const count = (...args: string[]) => readOptions(args, measures).plan.auditRows;
  expect(count()).toBe(100_000);
  expect(count("--full")).toBe(1_000_000);
  expect(count("--quick", "--audit-rows", "5_000")).toBe(5000);
  expect(() => count("--audit-rows", "many")).toThrow("--audit-rows must be");
  expect(() => count("--quick", "--full")).toThrow("Choose one");
});
