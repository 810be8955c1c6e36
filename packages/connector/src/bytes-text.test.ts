import { expect, test } from "bun:test";
import { toBytesText } from "./bytes-text.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1000, "1000 bytes"],
  [1024, "1 KiB"],
  [1024 ** 2, "1 MiB"],
  [1024 ** 2 + 1, "1048577 bytes"],
  [1.5 * 1024 ** 3, "1.5 GiB"],
  [64 * 1024 ** 2, "64 MiB"],
])("%d bytes are written as %s", (bytes, text) => {
  expect(toBytesText(bytes)).toBe(text);
});
