import { describe, expect, test } from "bun:test";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import {
  findTokenSpans,
  formatToken,
  toHeaderBytes,
} from "../../secrets/value-tokens/token-format.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { cutSealedText } from "./cut-sealed-text.ts";

const ring = createKeyRing([new Uint8Array(32).fill(3)]);
const owner = { userId: "11111111-1111-4111-8111-111111111111", rowId: null };
const token = sealValue(ring, owner, "a secret");

/** A text in the form of a token that includes the following characters. */
const forged = formatToken(
  toHeaderBytes({ version: 1, keyId: 1, ciphertextBytes: 90 }),
  new Uint8Array(),
);

const texts: Array<[string, string]> = [
  ["one token", `before ${token} after`],
  ["tokens side by side", `${token}${token}-${token}`],
  ["fake tokens around real ones", `a ${forged}${forged}${token}${forged}${token} end`],
  ["characters of several bytes and escapes", `é😀"\n${token}😀\\${token}é`],
];

describe.each(texts)("a text with %s", (_, text) => {
  const sizes = [...Array(Buffer.byteLength(JSON.stringify(text)) + 1).keys()].slice(2);

  test("A sealed text is cut to size, never inside a token or a character", () => {
    expect(sizes.length).toBeGreaterThan(60);
    for (const bytesMax of sizes) {
      const cut = cutSealedText(text, bytesMax);
      expect(text).toStartWith(cut);
      expect(cut.isWellFormed()).toBeTrue();
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(bytesMax);
      const split = findTokenSpans(text).filter(
        ({ start, end }) => start < cut.length && end > cut.length,
      );
      expect(split).toEqual([]);
    }
  });

  test("A sealed text that fits is not changed", () => {
    expect(cutSealedText(text, sizes.at(-1) ?? 0)).toBe(text);
  });
});
