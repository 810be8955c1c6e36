import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isWireKey, toWireKey } from "./wire-key.ts";

describe("toWireKey", () => {
  test("A wire key is not changed", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,30}$/), (name) => {
        const key = toWireKey(name);
        expect(toWireKey(key)).toBe(key);
        expect(key.replaceAll("_", "")).toBe(name.replaceAll("_", "").toLowerCase());
      }),
      { seed: 6 },
    );
  });
});

describe("isWireKey", () => {
  test("A wire key has 1 to 64 characters of a-z, 0-9 and _", () => {
    for (const key of ["a", "0", "_", "base_url", "a".repeat(64)])
      expect(isWireKey(key)).toBe(true);
    for (const key of ["", "A", "a-b", "a.b", "é", "a\n", "a".repeat(65)]) {
      expect(isWireKey(key)).toBe(false);
    }
  });

  test("The name that sets an object's prototype is not a wire key", () => {
    expect(isWireKey("__proto__")).toBe(false);
  });
});
