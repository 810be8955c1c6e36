/** The limits of a discovery: what is exactly at a limit is accepted, and one more is refused. */
import { describe, expect, test } from "bun:test";
import type { DiscoveredOperation, JsonSchema } from "@hub/connector";
import { cleanDiscovery } from "./clean-discovery.ts";

const found = (sourceName: string, given: Partial<DiscoveredOperation> = {}) => ({
  sourceName,
  description: "",
  inputSchema: { type: "object" },
  destructive: false,
  ...given,
});

const clean = (operations: readonly DiscoveredOperation[]) =>
  cleanDiscovery(operations, (value) => value);

/** The reason why an operation with this input schema is left out; null if it is offered. */
async function refuse(inputSchema: JsonSchema): Promise<string | null> {
  const { operations, leftOut } = await clean([found("one", { inputSchema })]);
  expect(operations.length + leftOut.length).toBe(1);
  return leftOut[0]?.reason ?? null;
}

/** A schema whose JSON has so many bytes. */
function toSized(bytes: number, filling = "x"): JsonSchema {
  const toSchema = (text: string) => ({ properties: { a: { default: text } }, type: "object" });
  const left = bytes - Buffer.byteLength(JSON.stringify(toSchema("")));
  const count = Math.floor(left / Buffer.byteLength(filling));
  const rest = left - count * Buffer.byteLength(filling);
  return toSchema(filling.repeat(count) + "x".repeat(rest));
}

const inputBytesMax = 64 * 1024;
const outputBytesMax = 16 * 1024;

describe("an input schema", () => {
  test.each([
    "x",
    "é",
    "字",
  ])("It has at most 64 KiB, also in characters such as %s", async (filling) => {
    expect(await refuse(toSized(inputBytesMax, filling))).toBeNull();
    expect(await refuse(toSized(inputBytesMax + 1, filling))).toBe(
      "Its input schema is larger than 64 KiB.",
    );
  });

  test("It has at most 2,000 parts", async () => {
    // Beside these, the schema itself and its property are parts.
    const toWide = (parts: number) => ({
      properties: { a: { anyOf: Array.from({ length: parts - 2 }, () => ({})) } },
    });
    expect(await refuse(toWide(2_000))).toBeNull();
    expect(await refuse(toWide(2_001))).toBe("Its input schema has more than 2000 parts.");
  });

  test("It is nested at most 64 levels deep", async () => {
    const toDeep = (levels: number): JsonSchema =>
      levels === 0 ? {} : { not: toDeep(levels - 1) };
    expect(await refuse(toDeep(64))).toBeNull();
    expect(await refuse(toDeep(65))).toBe("Its input schema is nested deeper than 64 levels.");
  });
});

test("An output schema has at most 16 KiB; a larger one is left out, and the operation stays", async () => {
  const { operations, leftOut } = await clean([
    found("fits", { outputSchema: toSized(outputBytesMax) }),
    found("large", { outputSchema: toSized(outputBytesMax + 1) }),
  ]);
  expect(leftOut).toEqual([]);
  expect(operations.map(({ definition }) => definition.outputSchema?.length ?? null)).toEqual([
    outputBytesMax,
    null,
  ]);
});

test("A name has 1 to 500 characters", async () => {
  const { operations, leftOut } = await clean([found("x".repeat(500)), found("x".repeat(501))]);
  expect(operations).toHaveLength(1);
  expect(leftOut[0]?.reason).toBe("Its name must have 1 to 500 characters.");
});

test("A row has at most 5,000 operations, and of any number of others there is one note", async () => {
  const many = Array.from({ length: 300_000 }, (_, at) => found(`op ${at}`));
  const whole = await clean(many.slice(0, 5_000));
  expect([whole.operations.length, whole.leftOut]).toEqual([5_000, []]);
  const reason = "A row has at most 5000 operations. Use filters, or several rows.";
  for (const [given, sourceName, count] of [
    [5_001, "1 more operations", 1],
    [300_000, "295000 more operations", 295_000],
  ] as const) {
    const { operations, leftOut } = await clean(many.slice(0, given));
    expect([operations.length, leftOut]).toEqual([5_000, [{ sourceName, reason, count }]]);
  }
});
