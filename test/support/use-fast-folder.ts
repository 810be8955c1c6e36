/**
 * Preloaded into the processes of tests: their folders are in memory, unless `TMPDIR` says where. What a process leaves there
 * is removed when it ends, or by a later one if it was killed.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findFastFolder } from "./find-fast-folder.ts";
import { sweepFastFolder, toFolderName } from "./sweep-fast-folder.ts";

if (process.env.TMPDIR === undefined) {
  const memory = findFastFolder();
  if (memory !== tmpdir() && startsPrograms(memory)) useFolder(memory);
}

function useFolder(memory: string): void {
  sweepFastFolder(memory);
  const folder = join(memory, toFolderName());
  mkdirSync(folder, { recursive: true });
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
}

/** Containers often forbid it in their memory, and tests start plugins from their folders. */
function startsPrograms(folder: string): boolean {
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const fields = mounts.map((line) => line.split(" ")).findLast((each) => each[1] === folder);
  return fields !== undefined && !fields[3]?.split(",").includes("noexec");
}
