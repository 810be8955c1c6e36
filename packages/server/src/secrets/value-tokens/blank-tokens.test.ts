import { expect, test } from "bun:test";
import { createKeyRing } from "../keys/key-ring.ts";
import { blankTokens } from "./blank-tokens.ts";
import { sealValue } from "./value-tokens.ts";

test("Blanking removes whole, embedded and nested tokens, and nothing else", () => {
  const ring = createKeyRing([new Uint8Array(32).fill(1)]);
  const owner = { userId: crypto.randomUUID(), rowId: null };
  const token = sealValue(ring, owner, "secret");
  const bound = sealValue(ring, { ...owner, rowId: crypto.randomUUID() }, "secret");
  const value = {
    a: token,
    b: [`Bearer ${token}-prod`, 7],
    c: "hub_enc_ values are tokens",
    d: `Bearer ${bound}-prod`,
  };
  expect(blankTokens(value)).toEqual({
    a: "",
    b: ["Bearer -prod", 7],
    c: "hub_enc_ values are tokens",
    d: "Bearer -prod",
  });
});
