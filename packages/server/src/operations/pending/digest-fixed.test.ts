/** Protects: what a permission stores of params can be guessed by none who has the database alone. */
import { expect, test } from "bun:test";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { digestFixed, isAsFixed } from "./digest-fixed.ts";

const key = (byte: number) => new Uint8Array(32).fill(byte);
const names = ["to", "left_out"];
const params = { to: "ada@example.com", text: "any" };

test("A digest is of one key and holds until this key is removed", async () => {
  const ring = createKeyRing([key(1)]);
  const fixed = await digestFixed(ring, params, names);
  expect(Object.keys(fixed)).toEqual(names);
  const other = createKeyRing([key(2)]);
  expect(await digestFixed(other, params, names)).not.toEqual(fixed);
  expect(await isAsFixed(ring, { ...params, text: "another" }, fixed)).toBe(true);
  expect(await isAsFixed(createKeyRing([key(2), key(1)]), params, fixed)).toBe(true);
  expect(await isAsFixed(other, params, fixed)).toBe(false);
});

test.each([
  ["another value", { to: "eve@example.com" }],
  ["a value that was left out", { to: "ada@example.com", left_out: null }],
  ["a missing value", {}],
])("Params with %s are others", async (_, given) => {
  const ring = createKeyRing([key(1)]);
  expect(await isAsFixed(ring, given, await digestFixed(ring, params, names))).toBe(false);
});
