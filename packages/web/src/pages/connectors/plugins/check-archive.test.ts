import { expect, test } from "bun:test";
import { findArchiveFault } from "./check-archive.ts";

const file = (name: string, size = 1) => ({ name, size });

test.each([
  "tracker-1.0.0.zip",
  "TRACKER.ZIP",
  "tracker.tar.gz",
  "tracker.tgz",
])("The archive %s can be installed", (name) => {
  expect(findArchiveFault([file(name)])).toBeNull();
});

test("A folder, several files, another type and a file over the limit are refused before they are sent", () => {
  expect(findArchiveFault([])).toContain("folder");
  expect(findArchiveFault([file("a.zip"), file("b.zip")])).toContain("one archive");
  expect(findArchiveFault([file("a.pdf")])).toContain(".zip or .tar.gz");
  expect(findArchiveFault([file("a.zip", 512 * 1024 ** 2)])).toBeNull();
  expect(findArchiveFault([file("a.zip", 512 * 1024 ** 2 + 1)])).toContain("512 MiB");
});
