import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { applyFault, type Fault } from "./find-faults.ts";

/** The number of faults in one run of the type checker, each in a copy of its file. */
const batchSize = 120;

/** Yields up to `wanted` faults that pass the type checker, in order. */
export function* keepTypeSafe(
  root: string,
  faults: readonly Fault[],
  wanted: number,
): Generator<Fault> {
  let kept = 0;
  for (let at = 0; at < faults.length && kept < wanted; at += batchSize) {
    for (const fault of checkBatch(root, faults.slice(at, at + batchSize))) {
      if (kept === wanted) return;
      kept += 1;
      yield fault;
    }
  }
}

/** Whether the whole tree passes the type checker with the fault. */
export function isTypeSafe(root: string, fault: Fault): boolean {
  const path = join(root, fault.file);
  const original = readFileSync(path, "utf8");
  writeFileSync(path, applyFault(original, fault));
  const broken = findBrokenFiles(root);
  writeFileSync(path, original);
  return broken.size === 0;
}

/** Checks copies in the folder of the original file, where imports resolve in the same way. */
function checkBatch(root: string, batch: readonly Fault[]): Fault[] {
  const copies = batch.map(({ file }, index) => {
    const extension = extname(file);
    return `${file.slice(0, -extension.length)}.fault-${index}${extension}`;
  });
  for (const [index, fault] of batch.entries()) {
    const original = readFileSync(join(root, fault.file), "utf8");
    writeFileSync(join(root, copies[index] ?? ""), applyFault(original, fault));
  }
  const broken = findBrokenFiles(root);
  for (const copy of copies) rmSync(join(root, copy));
  return batch.filter((_, index) => !broken.has(copies[index] ?? ""));
}

/** The files with type errors. The pages have a configuration of their own. */
export function findBrokenFiles(root: string): Set<string> {
  return new Set([".", "packages/web"].flatMap((project) => listBroken(root, project)));
}

function listBroken(root: string, project: string): string[] {
  const tsc = join(root, "node_modules/.bin/tsc");
  const info = join(root, `types-${project.replace(/\W/g, "-")}.tsbuildinfo`);
  const options = ["--noEmit", "-p", project, "--incremental", "--tsBuildInfoFile", info];
  const { stdout } = Bun.spawnSync([tsc, ...options], { cwd: root });
  const errors = stdout.toString().matchAll(/^(\S+?)\(\d+,\d+\): error/gm);
  return [...errors].map(([, file]) => file ?? "");
}
