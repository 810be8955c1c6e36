import { expect, test } from "bun:test";
import { logs } from "./connector.ts";

test("The operations that clients are offered only read", () => {
  const operations = [...logs.operations.values()];
  const reads = operations.filter((one) => one.reads).map(({ key }) => key);
  expect(reads).toEqual(["query", "labels", "label_values"]);
  expect(operations.filter((one) => !one.reads).every((one) => one.configOnly)).toBeTrue();
});
