/** Preloaded into the processes of tests: their folders are in memory, unless `TMPDIR` says where. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { findFastFolder } from "./find-fast-folder.ts";

if (process.env.TMPDIR === undefined) {
  const folder = findFastFolder();
  if (folder !== tmpdir() && startsPrograms(folder)) process.env.TMPDIR = folder;
}

/** Containers often forbid it in their memory, and tests start plugins from their folders. */
function startsPrograms(folder: string): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const options = mounts.findLast((fields) => fields[1] === folder)?.[3]?.split(",");
  return options !== undefined && !options.includes("noexec");
}
