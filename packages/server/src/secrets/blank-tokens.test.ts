import { expect, test } from "bun:test";
import { blankTokens } from "./blank-tokens.ts";
import { createKeyRing } from "./key-ring.ts";
import { sealValue } from "./value-tokens.ts";

test("tokens are left out, whole, embedded and nested; all else stays", () => {
  const ring = createKeyRing([new Uint8Array(32).fill(1)]);
  const token = sealValue(ring, crypto.randomUUID(), "secret");
  const value = { a: token, b: [`Bearer ${token}-prod`, 7], c: "hub_enc_ values are tokens" };
  expect(blankTokens(value)).toEqual({
    a: "",
    b: ["Bearer -prod", 7],
    c: "hub_enc_ values are tokens",
  });
});
