import { expect, test } from "bun:test";
import { quotedPrintable } from "./unescape.ts";

test("Every text that quoted-printable decodes is found", () => {
  const characters = "0123456789abcdefABCDEFgG=\r\n ";
  for (const first of characters) {
    for (const second of characters) {
      const text = `=-=${first}${second}\n`;
      const plain = { count: 0, first: 0, second: 0 };
      const isDecoded = quotedPrintable.read(text, 2, text.length, plain) > 0;
      if (isDecoded) expect([text, quotedPrintable.find(text, 0)]).toEqual([text, 2]);
    }
  }
  expect(quotedPrintable.find("a=3Db=41=3D", 2)).toBe(8);
  expect(quotedPrintable.find("user=7919 page=42 a==b", 0)).toBe(-1);
});
