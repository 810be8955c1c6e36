import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { applyFault, type Fault } from "./find-faults.ts";

/** So many faults are checked in one run of the type checker, each in a file of its own. */
const batchSize = 24;

/** Yields up to `wanted` of the faults, in order, that the type checker lets pass. */
export async function* keepTypeSafe(
  root: string,
  faults: readonly Fault[],
  wanted: number,
): AsyncGenerator<Fault> {
  const waiting = [...faults];
  let kept = 0;
  while (waiting.length > 0 && kept < wanted) {
    for (const fault of checkBatch(
      root,
      takeBatch(waiting, Math.min(batchSize, 2 * (wanted - kept))),
    )) {
      if (kept === wanted) return;
      kept += 1;
      yield fault;
    }
  }
}

/** Takes the first faults out of the list, one of each file. */
function takeBatch(waiting: Fault[], size: number): Fault[] {
  const batch = new Map<string, Fault>();
  for (let at = 0; at < waiting.length && batch.size < size; ) {
    const fault = waiting[at];
    if (fault === undefined || batch.has(fault.file)) at += 1;
    else {
      batch.set(fault.file, fault);
      waiting.splice(at, 1);
    }
  }
  return [...batch.values()];
}

/** Those that pass. Where the error is in a file that none of them changed, halves are looked at. */
function checkBatch(root: string, batch: readonly Fault[]): Fault[] {
  const broken = findBrokenFiles(root, batch);
  const isClear = [...broken].every((file) => batch.some((fault) => fault.file === file));
  if (isClear) return batch.filter(({ file }) => !broken.has(file));
  const left = batch.filter(({ file }) => !broken.has(file));
  if (left.length <= 1) return left.length < batch.length ? checkBatch(root, left) : [];
  const middle = Math.ceil(left.length / 2);
  return [...checkBatch(root, left.slice(0, middle)), ...checkBatch(root, left.slice(middle))];
}

function findBrokenFiles(root: string, batch: readonly Fault[]): Set<string> {
  const originals = batch.map(({ file }) => readFileSync(join(root, file), "utf8"));
  for (const [index, fault] of batch.entries()) {
    writeFileSync(join(root, fault.file), applyFault(originals[index] ?? "", fault));
  }
  const { stdout } = Bun.spawnSync(
    [join(root, "node_modules/.bin/tsc"), "--noEmit", "--incremental"].concat(
      "--tsBuildInfoFile",
      join(root, "types.tsbuildinfo"),
    ),
    { cwd: root },
  );
  for (const [index, fault] of batch.entries()) {
    writeFileSync(join(root, fault.file), originals[index] ?? "");
  }
  return new Set(
    [...stdout.toString().matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? ""),
  );
}
