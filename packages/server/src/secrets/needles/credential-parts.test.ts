import { expect, test } from "bun:test";
import { listCredentialParts } from "./credential-parts.ts";

test.each([
  ["Token abcdef", ["abcdef"]],
  ["token\tabcd", ["abcd"]],
  ["GenieKey 1234-5678", ["1234-5678"]],
  ["X-Custom ab12cd34ef", ["ab12cd34ef"]],
  [
    `Basic ${Buffer.from("user:pass:word").toString("base64")}`,
    [Buffer.from("user:pass:word").toString("base64"), "pass:word"],
  ],
  ["session=0123456789; theme=dark", ["0123456789"]],
  [
    'Digest username="someone-long", response="abcdef0123"',
    ['username="someone-long", response="abcdef0123"', "someone-long", "abcdef0123"],
  ],
  ["Token token=abcdefgh", ["token=abcdefgh", "abcdefgh"]],
])("The part of %j that a server may return alone is a credential", (secret, parts) => {
  expect(listCredentialParts(secret)).toEqual(parts);
  expect(listCredentialParts(` ${secret}\n`)).toEqual(parts);
});

test.each([
  "correct horse battery staple",
  "correct horse",
  "abcdefghijkl",
  "YWJjZGVmZ2hpamtsbW5vcA==",
  "Token abc",
  "-----BEGIN KEY-----\nQUJDREVGR0g=\n-----END KEY-----",
])("%j has no part that is a credential by itself", (secret) => {
  expect(listCredentialParts(secret)).toEqual([]);
});
