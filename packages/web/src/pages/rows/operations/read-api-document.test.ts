import { expect, test } from "bun:test";
import { readDocument } from "./read-api-document.ts";

test("A document is read as text, without its byte order mark", async () => {
  expect(await readDocument(new Blob(["\uFEFFopenapi: 3.1.0\n"]))).toBe("openapi: 3.1.0\n");
});

test.each([
  ["is larger than 4 MiB", ["a".repeat(4 * 1024 ** 2 + 1)], "larger than 4 MiB."],
  ["becomes larger in a request", ['"'.repeat(3 * 1024 ** 2)], "quotes are escaped"],
  ["is not text", [new Uint8Array([0x50, 0x4b, 0xff, 0xfe])], "cannot be read as text"],
  ["is empty", [" \n"], "The file is empty."],
])("A document that %s is refused with a sentence", async (_, parts, message) => {
  await expect(readDocument(new Blob(parts))).rejects.toThrow(message);
});
