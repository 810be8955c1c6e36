import { expect, test } from "bun:test";
import { findTextFault, readClientFile } from "./read-client-file.ts";

const toFile = (parts: BlobPart[], name = "mcp.json") => new File(parts, name);

test("A file is read as text, with its name", async () => {
  expect(await readClientFile(toFile(["{}"]))).toEqual({ file: "mcp.json", text: "{}" });
});

test("Files that cannot be sent are refused with a sentence", async () => {
  const read = async (...parts: BlobPart[]) => Object(await readClientFile(toFile(parts))).fault;
  expect(await read(" ")).toBe("The file is empty.");
  expect(await read(new Uint8Array([0xff]))).toContain("cannot be read as text");
  expect(await read(new Uint8Array(4 * 1024 ** 2 + 1))).toContain("too large");
  expect(findTextFault('"'.repeat(2.5 * 1024 ** 2))).toContain("too large");
});
