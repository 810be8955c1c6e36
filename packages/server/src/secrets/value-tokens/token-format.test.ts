import { expect, test } from "bun:test";
import { createBareHeaderCheck, type TokenVersion, toHeaderBytes } from "./token-format.ts";

const keyId = 0x0a0b0c0d;
const containsBareHeader = createBareHeaderCheck(new Map([[keyId, null]]));
const toText = (ciphertextBytes: number, version: TokenVersion = 1, key = keyId) =>
  Buffer.from(toHeaderBytes({ version, keyId: key, ciphertextBytes })).toString("base64url");

test.each([
  1, 2,
] as const)("A header of version %d of a known key is found anywhere in a text", (version) => {
  const header = toText(40, version);
  for (const text of [header, `x${header}`, `Bearer ${header}AAAA`, header.slice(0, 6) + header]) {
    expect(containsBareHeader(text)).toBeTrue();
  }
  for (const text of ["", header.slice(0, -1), toText(40, version, 7), header.toLowerCase()]) {
    expect(containsBareHeader(text)).toBeFalse();
  }
});

test("A header of more bytes than any token has is a coincidence, not a part of a token", () => {
  expect(containsBareHeader(toText(2 ** 24 - 1))).toBeTrue();
  expect(containsBareHeader(toText(2 ** 24))).toBeFalse();
  // The search continues after it.
  expect(containsBareHeader(toText(2 ** 24) + toText(40))).toBeTrue();
});
