import { describe, expect, test } from "bun:test";
import { findMatches } from "./find-matches.ts";
import { createKeyRing } from "./key-ring.ts";
import { createMask } from "./mask.ts";
import { toNeedles } from "./needles.ts";

const exact = (text: string, ofRow: boolean) => ({ text, ignoreCase: false, ofRow });

function createTestMask() {
  const ring = createKeyRing([new Uint8Array(32).fill(1)]);
  return createMask({ ring, userId: "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b", enabled: true });
}

describe("a match", () => {
  test("says whether it shows a secret of the row, in whatever form", () => {
    const needles = toNeedles([exact("row/secret", true), exact("user/secret", false)]);
    for (const write of [
      (text: string) => text,
      encodeURIComponent,
      (text: string) => Buffer.from(text).toString("hex"),
      (text: string) => Buffer.from(text).toString("base64url"),
    ]) {
      const [row, user] = [write("row/secret"), write("user/secret")];
      expect(findMatches(`${row} ${user}`, needles)).toEqual([
        { start: 0, end: row.length, ofRow: true },
        { start: row.length + 1, end: row.length + 1 + user.length, ofRow: false },
      ]);
    }
  });

  test("is the row's when any part of it is", () => {
    const needles = toNeedles([exact("abcdef", false), exact("defghi", true)]);
    expect(findMatches("-abcdefghi-abcdef-", needles)).toEqual([
      { start: 1, end: 10, ofRow: true },
      { start: 11, end: 17, ofRow: false },
    ]);
  });
});

test("a text that was added as the row's and as the user's is the user's, in either order", () => {
  for (const [first, second] of [
    [true, false],
    [false, true],
  ]) {
    const mask = createTestMask();
    mask.addSecret("s3cretValue", { ofRow: first });
    mask.addSecretIgnoreCase("s3cretValue", { ofRow: second });
    mask.addSecret("another one", { ofRow: true });
    expect(mask.listSecrets()).toEqual([
      { text: "s3cretValue", ignoreCase: false, ofRow: false },
      { text: "s3cretValue", ignoreCase: true, ofRow: false },
      { text: "another one", ignoreCase: false, ofRow: true },
    ]);
  }
});
