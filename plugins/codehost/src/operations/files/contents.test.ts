import { expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { presentContents, presentPart } from "./contents.ts";

const file = { type: "file", path: "a.txt", sha: "f00", size: 5, encoding: "base64" };
const toBase64 = (bytes: string | Uint8Array) =>
  Buffer.from(bytes).toString("base64").replace(/.{8}/g, "$&\n");

test("The content of a text file is unchanged, including byte order mark and line breaks", () => {
  const text = "\ufeffGrüße 🌍\r\nzwei\n";
  expect(presentContents({ ...file, content: toBase64(text) })).toEqual({
    type: "file",
    path: "a.txt",
    sha: "f00",
    size: 5,
    content: text,
  });
  expect(presentContents({ ...file, size: 0, content: "" })).toMatchObject({ content: "" });
});

test.each<[string, Json, string]>([
  [
    "bytes that are not UTF-8",
    { ...file, content: toBase64(new Uint8Array([255, 216])) },
    "binary",
  ],
  ["bytes with a NUL", { ...file, content: toBase64("a\u0000b") }, "binary"],
  [
    "a file over 1 MB",
    { ...file, encoding: "none", content: "", size: 2_000_000 },
    "2000000 bytes",
  ],
  ["a submodule", { ...file, type: "submodule", submodule_git_url: "x" }, "submodule"],
  ["a symbolic link", { ...file, type: "symlink", target: "../b" }, "symbolic link"],
])("%s has a note instead of content", (_, answer, says) => {
  const shown = presentContents(answer);
  expect(shown).toMatchObject({ sha: "f00", note: expect.stringContaining(says) });
  expect(shown).not.toHaveProperty("content");
});

test("A folder returns its entries", () => {
  const entries = [
    { type: "file", name: "a.txt", path: "x/a.txt", size: 5, sha: "f00" },
    { type: "dir", name: "y", path: "x/y", size: 0, sha: "f01" },
  ];
  expect(presentContents(entries)).toMatchObject({
    type: "folder",
    entries: [
      { name: "a.txt", path: "x/a.txt", type: "file", size: 5 },
      { name: "y", path: "x/y", type: "dir" },
    ],
  });
});

test("A part without a whole character has no next part, which would be the same one", () => {
  const part = presentPart({ ...file, size: 10 }, { bytes: Uint8Array.of(0xf0, 0x9f), offset: 4 });
  expect(part).toMatchObject({ binary: true });
  expect(part).not.toHaveProperty("next_offset");
});
