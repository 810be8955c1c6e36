import { readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import type { Tree } from "./copy-tree.ts";
import { applyFault, type Fault } from "./find-faults.ts";

/** The time limit of a stage of tests. It is long, because the machine may be busy. */
const stageMsMax = 420_000;
const testMsMax = 30_000;

/** Runs the stages with or without a fault. Returns the test that failed, or null. */
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
      const { failed } = await runFiles(tree, files);
      if (failed !== null) return failed;
    }
    return null;
  } finally {
    if (path !== null) writeFileSync(path, original);
  }
}

/** Runs test files in the copy. Returns the test that failed, or null, and how many passed. */
export async function runFiles(
  tree: Tree,
  files: readonly string[],
): Promise<{ failed: string | null; passed: number }> {
  const child = Bun.spawn(
    [process.execPath, "test", "--bail=1", `--timeout=${testMsMax}`].concat(
      files.map((file) => `./${file}`),
    ),
    {
      cwd: tree.root,
      env: { ...process.env, TMPDIR: tree.tmp, HUB_TEST_AMOUNT: "all" },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
      // Runs in a new process group, so that processes of the tests end with them.
      detached: true,
    },
  );
  keepPriority(child.pid);
  // A fault can make the tests run for ever, and this program may be killed before their limit.
  const end = () => endGroup(child.pid);
  // Before the tree is removed.
  process.prependOnceListener("exit", end);
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    endGroup(child.pid);
  }, stageMsMax);
  const output = await new Response(child.stderr).text();
  const exitCode = await child.exited;
  process.off("exit", end);
  clearTimeout(timer);
  endGroup(child.pid);
  const passed = Number(/^\s*(\d+) pass$/m.exec(output)?.[1] ?? 0);
  if (isHung) return { failed: "a hang", passed };
  if (exitCode === 0) return { failed: null, passed };
  const failed = /^\(fail\) (.*)$/m.exec(output)?.[1] ?? `exit code ${exitCode}`;
  return { failed, passed };
}

/** Keeps the priority on Linux, where a new session has its own share of processor time. */
function keepPriority(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(getPriority()));
  } catch {
    // Other systems do not have this file.
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}
