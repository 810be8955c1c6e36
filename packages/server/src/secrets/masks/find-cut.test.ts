import { describe, expect, test } from "bun:test";
import { createKeyRing } from "../keys/key-ring.ts";
import { echoes } from "../testing/secret-echoes.ts";
import { createMask } from "./mask.ts";

const ring = createKeyRing([new Uint8Array(32).fill(7)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const json = (text: string) => JSON.stringify(text).slice(1, -1);

const secrets: Record<string, string> = {
  "of letters": "c0rrect-h0rse/battery+staple=0123456789",
  "of wide characters":
    "密码是一匹正确的马电池和订书钉密码是一匹正确的马电池和订书钉密码是一匹正确的",
  "of control characters": "\u0001\u0002".repeat(20),
};

describe.each(Object.entries(secrets))("no cut leaves a part of a secret %s", (_, secret) => {
  const fitting = echoes
    .filter(({ isWhole, suits }) => !isWhole && suits?.(secret) !== false)
    .map((echo) => [echo.name, echo] as const);

  test("Many echoes are tried", () => expect(fitting.length).toBeGreaterThan(40));

  test.each(fitting)("No part remains as %s", (_name, { write }) => {
    const mask = createMask({ ring, userId, enabled: true });
    mask.addSecret(secret);
    const before = "lorem ipsum ".repeat(2_000);
    const after = " dolor sit".repeat(2_000);
    for (const wrap of [(text: string) => text, json]) {
      const echo = wrap(write(secret, "", ""));
      const text = before + echo + after;
      for (const part of [0.02, 0.3, 0.6, 0.98]) {
        const end = before.length + Math.max(1, Math.floor(echo.length * part));
        const bytesMax = Buffer.byteLength(JSON.stringify(text.slice(0, end)));
        expect(mask.cutText(text, bytesMax)).toBe(before);
      }
    }
  });

  test("No part remains as a list of bytes", () => {
    const mask = createMask({ ring, userId, enabled: true });
    mask.addSecret(secret);
    const bytes = [...Buffer.from(secret)];
    const items = ["text", ...Buffer.from("before"), ...bytes, ...Buffer.from("after"), null];
    for (let end = 0; end <= items.length; end += 1) {
      const isInside = end > 7 && end < 7 + bytes.length;
      expect(mask.cutList(items, end)).toBe(isInside ? 7 : end);
    }
  });
});

test("No part remains of a secret of 4 KiB, such as a private key, wherever the cut is", () => {
  const bytes = Buffer.from(Array.from({ length: 3072 }, (_, at) => (at * at * 31 + at) % 251));
  const key = bytes.toString("base64").replaceAll(/.{64}/g, "$&\n");
  const mask = createMask({ ring, userId, enabled: true });
  mask.addSecret(key);
  const before = "lorem ipsum ".repeat(1000);
  const text = before + key + " dolor sit".repeat(1000);
  for (const part of [0.02, 0.3, 0.5, 0.7, 0.98]) {
    const end = before.length + Math.floor(key.length * part);
    const bytesMax = Buffer.byteLength(JSON.stringify(text.slice(0, end)));
    expect(mask.cutText(text, bytesMax)).toBe(before);
  }
});
