import { expect, test } from "bun:test";
import { join } from "node:path";
import { findSource } from "./find-install-source.ts";

const here = import.meta.dirname;

test("A source is a name, an address, a folder or a file", async () => {
  expect(await findSource("tracker", here)).toEqual({ kind: "catalog", key: "tracker" });
  const address = "https://example.com/t.zip";
  expect(await findSource(address, here)).toEqual({ kind: "address", url: new URL(address) });
  expect(await findSource("./", here)).toEqual({ kind: "folder", path: here });
  const file = "find-install-source.ts";
  expect(await findSource(file, here)).toEqual({ kind: "archive", path: join(here, file) });
});

test.each([
  ["a URL that is not valid", "https://", "bad_request"],
  ["a file that does not exist", "./absent.zip", "not_found"],
  ["another scheme", "ftp://example.com/t.zip", "plugin_refused"],
])("%s is refused as a source", async (_, text, code) => {
  await expect(findSource(text, here)).rejects.toMatchObject({ code });
});

test("Only the command line is told the path of a file that does not exist", async () => {
  await expect(findSource("./absent.zip", here)).rejects.toMatchObject({
    message: expect.not.stringContaining(here),
    localMessage: expect.stringContaining(join(here, "absent.zip")),
  });
});
