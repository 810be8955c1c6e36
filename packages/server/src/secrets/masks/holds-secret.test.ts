import { expect, test } from "bun:test";
import { createKeyRing } from "../keys/key-ring.ts";
import { holdsSecret } from "./holds-secret.ts";
import { createMask } from "./mask.ts";

const ring = createKeyRing([new Uint8Array(32).fill(7)]);

function createTestMask(secret: string) {
  const mask = createMask({ ring, userId: "u1", enabled: true, rowTokens: "bound" });
  mask.addSecret(secret);
  return mask;
}

/** Bytes that are no text, as at the beginning of a picture. */
const noise = Uint8Array.of(0x89, 0xff, 0xd8, 0xc3, 0x00, 0xf0, 0x9f);

const wrap = (bytes: Uint8Array, offset: number) =>
  Buffer.concat([noise, new Uint8Array(offset).fill(0xe9), bytes, noise]);

test.each([
  "correct horse battery",
  "pässwörd-geheim",
  "密码是什么东西呢",
])("%s is found in binary content, as UTF-8 and as UTF-16 in both orders, at any place", (secret) => {
  const mask = createTestMask(secret);
  const little = Buffer.from(secret, "utf16le");
  const big = Buffer.from(little).swap16();
  const plain = Buffer.from(secret);
  const forms = {
    plain,
    little,
    big,
    base64: Buffer.from(plain.toString("base64")),
    hex: Buffer.from(plain.toString("hex")),
  };
  const missed = Object.entries(forms).flatMap(([name, bytes]) =>
    [0, 1, 2, 3].flatMap((offset) =>
      holdsSecret(mask, wrap(bytes, offset)) ? [] : [`${name} at ${offset}`],
    ),
  );
  expect(missed).toEqual([]);
  expect(holdsSecret(mask, wrap(Buffer.from(secret.slice(1)), 0))).toBe(false);
  expect(holdsSecret(mask, wrap(little.subarray(2), 0))).toBe(false);
});
