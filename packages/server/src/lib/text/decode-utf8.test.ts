import { expect, test } from "bun:test";
import { decodeUtf8 } from "./decode-utf8.ts";

test("Valid UTF-8 is decoded unchanged, without a byte order mark", () => {
  for (const text of ["", "plain", "ü😀\u0000\ufffd", "a\ufeffb"]) {
    expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text);
    expect(decodeUtf8(new TextEncoder().encode(`\ufeff${text}`))).toBe(text);
  }
  expect(decodeUtf8(new TextEncoder().encode("within").subarray(2, 4))).toBe("th");
});

test.each([
  ["a lone byte of Latin-1", [0x22, 0xfc, 0x22]],
  ["a truncated character", [0xf0, 0x9f, 0x98]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
  ["an overlong form", [0xc0, 0x80]],
  ["UTF-16", [0xff, 0xfe, 0x7b, 0x00]],
])("Invalid UTF-8 is not decoded: %s", (_, bytes) => {
  expect(decodeUtf8(Uint8Array.from(bytes))).toBeNull();
});
