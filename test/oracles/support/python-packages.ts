import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const caches = resolve(import.meta.dirname, "../../../node_modules/.cache/hub/python");

/**
 * The path of a program of Python packages. They are installed once for each list of requirements, which names exact versions. The
 * reason if there is no Python, or the packages cannot be had.
 */
export async function findPythonProgram({
  program,
  requirements,
}: {
  program: string;
  /** The path of the list. */
  requirements: string;
}): Promise<string | { reason: string }> {
  const list = await readFile(requirements);
  const folder = join(caches, createHash("sha256").update(list).digest("hex").slice(0, 16));
  const found = join(folder, "bin", program);
  if (existsSync(found)) return found;
  const python = Bun.which("python3");
  if (python === null) return { reason: "there is no python3" };
  await mkdir(caches, { recursive: true });
  // A virtual environment has its own path in its programs, so it is made where it stays.
  await rm(folder, { recursive: true, force: true });
  const log = join(caches, "install.log");
  const steps = [
    [python, "-m", "venv", folder],
    [join(folder, "bin", "pip"), "install", "--quiet", "--no-input", "-r", requirements],
  ];
  for (const step of steps) {
    const child = Bun.spawn(step, { stdin: "ignore", stdout: "ignore", stderr: Bun.file(log) });
    if ((await child.exited) === 0) continue;
    await rename(folder, `${folder}.failed`).catch(() => {});
    await rm(`${folder}.failed`, { recursive: true, force: true });
    return { reason: `${step.join(" ")} failed, see ${log}` };
  }
  return found;
}
