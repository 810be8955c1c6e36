import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** This checkout. */
export const checkout = resolve(import.meta.dirname, "../../..");

/** A checkout of another commit with its packages, which is removed at the end. The clone needs the history. */
export async function checkOut(commit: string): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "hub-old-server-"));
  run(["git", "worktree", "add", "--detach", "--quiet", folder, commit]);
  const remove = async () => void run(["git", "worktree", "remove", "--force", folder]);
  try {
    install(folder);
  } catch (err) {
    await remove();
    throw err;
  }
  return { folder, [Symbol.asyncDispose]: remove };
}

/** The same in `parent`, where it stays for the next time. */
export async function checkOutIn(parent: string, commit: string): Promise<string> {
  const folder = join(parent, commit);
  if (existsSync(join(folder, "node_modules"))) return folder;
  await mkdir(parent, { recursive: true });
  run(["git", "worktree", "add", "--detach", "--quiet", "--force", folder, commit]);
  install(folder);
  return folder;
}

/** The packages of this checkout, if they are the same. */
function install(folder: string): void {
  const lockOf = (of: string) => readFileSync(join(of, "package-lock.json"), "utf8");
  const own = join(checkout, "node_modules");
  // Workspace packages are links, which lead to the sources of their own checkout.
  if (lockOf(folder) !== lockOf(checkout) || !existsSync(own)) {
    run(["npm", "ci", "--no-audit", "--no-fund"], folder);
    return;
  }
  run(["cp", "-a", own, folder]);
}

/** Runs a program to its end, and returns what it has written. */
export function run(command: string[], cwd = checkout): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd });
  if (exitCode === 0) return stdout.toString().trim();
  throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}
