import { expect, test } from "bun:test";
import { parseJson } from "@hub/connector";
import type { Operation } from "../../connectors/connector-port.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { digestCall } from "./call-digest.ts";

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const ring = createKeyRing([keyOf(1)]);
const row = { id: "11111111-1111-4111-8111-111111111111" };
const operation = { key: "read", inputFields: [] as unknown };
const digest = async (params: unknown, target: object = {}, keys = ring, keyId?: number) =>
  // The digest reads the ids and the schema alone.
  (
    await digestCall(
      keys,
      { row: row as Row, operation: { ...operation, ...target } as Operation },
      params as Record<string, unknown>,
      keyId,
    )
  )?.text;

test("The order of members does not change the digest of a call; values, digits, operation and schema do", async () => {
  const one = await digest({ a: 1, b: { c: [1, 2], d: "x" } });
  expect(await digest({ b: { d: "x", c: [1, 2] }, a: 1 })).toBe(one);
  const others = await Promise.all([
    digest({ a: 1, b: { c: [2, 1], d: "x" } }),
    digest({ a: "1", b: { c: [1, 2], d: "x" } }),
    digest(parseJson('{"a":1.00000000000000000001,"b":{"c":[1,2],"d":"x"}}')),
    digest({ a: 1, b: { c: [1, 2], d: "x" } }, { key: "write" }),
    digest(
      { a: 1, b: { c: [1, 2], d: "x" } },
      { fromRow: { readSchema: () => ({ type: "object" }) } },
    ),
  ]);
  expect(new Set([one, ...others]).size).toBe(6);
});

test("After a rotation of the keys, a digest is compared by its own key", async () => {
  const before = await digest({ a: 1 });
  const rotated = createKeyRing([keyOf(2), keyOf(1)]);
  expect(await digest({ a: 1 }, {}, rotated)).not.toBe(before);
  expect(await digest({ a: 1 }, {}, rotated, ring.sealing.id)).toBe(before);
  const { id } = ring.sealing;
  expect(await digest({ a: 1 }, {}, createKeyRing([keyOf(2)]), id)).toBeUndefined();
});

test("Long texts of params are part of the digest", async () => {
  const long = "x".repeat(3_000_000);
  const [one, other] = [await digest({ text: long }), await digest({ text: `${long}y` })];
  expect(one).not.toBe(other);
});

test("Characters of two halves at any position of a long text are part of the digest", async () => {
  const start = "x".repeat(1024 * 1024 - 12);
  for (const before of ["", "x", "xx", "xxx", "xxxx"]) {
    const [one, other] = [`${start}${before}😀`, `${start}${before}😁`];
    expect(await digest({ text: one })).not.toBe(await digest({ text: other }));
  }
});
