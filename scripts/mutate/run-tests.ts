import { readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import type { Tree } from "./copy-tree.ts";
import { applyFault, type Fault } from "./find-faults.ts";

/** A stage of tests that takes longer than this hangs. It is long, for machines that are busy. */
const stageMsMax = 420_000;
const testMsMax = 30_000;

/** Runs the stages with the fault in place, or with none. Returns what noticed it, or null. */
export async function runTests(
  tree: Tree,
  fault: Fault | null,
  stages: readonly string[][],
): Promise<string | null> {
  const path = fault === null ? null : join(tree.root, fault.file);
  const original = path === null ? "" : readFileSync(path, "utf8");
  if (path !== null && fault !== null) writeFileSync(path, applyFault(original, fault));
  try {
    for (const files of stages) {
      const noticedBy = await runStage(tree, files);
      if (noticedBy !== null) return noticedBy;
    }
    return null;
  } finally {
    if (path !== null) writeFileSync(path, original);
  }
}

async function runStage(tree: Tree, files: readonly string[]): Promise<string | null> {
  const child = Bun.spawn(
    [process.execPath, "test", "--bail=1", `--timeout=${testMsMax}`].concat(
      files.map((file) => `./${file}`),
    ),
    {
      cwd: tree.root,
      env: { ...process.env, TMPDIR: tree.tmp },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      // A group of its own, so that what the tests started ends with them.
      detached: true,
    },
  );
  keepPriority(child.pid);
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    endGroup(child.pid);
  }, stageMsMax);
  const output = await new Response(child.stderr).text();
  const exitCode = await child.exited;
  clearTimeout(timer);
  endGroup(child.pid);
  if (isHung) return "a hang";
  if (exitCode === 0) return null;
  return /^\(fail\) (.*)$/m.exec(output)?.[1] ?? `exit code ${exitCode}`;
}

/** Linux shares its time out by session, and a group of its own is a session with full rights. */
function keepPriority(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(getPriority()));
  } catch {
    // Other systems have no such file, and need none.
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
}
