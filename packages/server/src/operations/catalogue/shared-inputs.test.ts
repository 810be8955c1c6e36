import { expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { createOperationTexts } from "./operation-texts.ts";
import { findSharedInputs } from "./shared-inputs.ts";

/** Operations that all have `alt` and `key`, but one that has nothing else. */
function defineOperations(count: number) {
  const shared = { Alt: wick("dropdown=json|xml"), Key: wick() };
  const entries = Array.from({ length: count }, (_, at) => [
    `operation_${at}`,
    {
      description: "Does something.",
      input: at === 0 ? shared : { ...shared, Name: wick("required"), [`Own${at}`]: wick() },
      run: () => null,
    },
  ]);
  return defineConnector({
    key: "many",
    name: "Many",
    icon: "plug",
    tier: "builtin",
    description: "Operations with shared inputs.",
    config: {},
    operations: Object.fromEntries(entries),
  }).operations;
}

test("Inputs of at least four fifths of ten or more operations are shared", () => {
  expect(findSharedInputs(defineOperations(9))).toEqual(new Set());
  expect(findSharedInputs(defineOperations(10))).toEqual(new Set(["alt", "key", "name"]));
  expect(findSharedInputs(defineOperations(1_000))).toEqual(new Set(["alt", "key", "name"]));
});

test("A signature counts the shared inputs that are not required, unless there is no other input", () => {
  const operations = defineOperations(10);
  const texts = createOperationTexts();
  const write = (key: string) => {
    const operation = operations.get(key);
    if (operation === undefined) throw new Error(`There is no ${key}.`);
    return texts.signature(operation, operations);
  };
  expect(write("operation_3")).toEqual({
    text: "(name: string, own3?: string, …2 more)",
    isExact: true,
  });
  expect(write("operation_0").text).toBe('(alt?: "json"|"xml", key?: string)');
});
