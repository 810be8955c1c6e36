import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The commit of the checkout around `start`, read from git's files, because git may not be installed.
 * Null outside a checkout.
 */
export function findCommit(start: string): string | null {
  const gitDir = findGitDir(start);
  if (gitDir === null) return null;
  const head = readText(join(gitDir, "HEAD"));
  const ref = head?.match(/^ref: (.+)$/)?.[1];
  if (ref === undefined) return toCommit(head);
  // A linked worktree has its own HEAD and the branches of the main one.
  const commonDir = resolve(gitDir, readText(join(gitDir, "commondir")) ?? ".");
  return (
    toCommit(readText(join(gitDir, ref))) ??
    toCommit(readText(join(commonDir, ref))) ??
    findPackedRef(commonDir, ref)
  );
}

function findGitDir(start: string): string | null {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const entry = join(folder, ".git");
    if (existsSync(entry)) {
      if (statSync(entry).isDirectory()) return entry;
      const target = readText(entry)?.match(/^gitdir: (.+)$/)?.[1];
      return target === undefined ? null : resolve(folder, target);
    }
    if (dirname(folder) === folder) return null;
  }
}

function findPackedRef(commonDir: string, ref: string): string | null {
  const lines = readText(join(commonDir, "packed-refs"))?.split("\n") ?? [];
  const line = lines.find((candidate) => candidate.endsWith(` ${ref}`));
  return toCommit(line?.split(" ")[0]);
}

function toCommit(text: string | null | undefined): string | null {
  return text && /^[0-9a-f]{40,64}$/.test(text) ? text : null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
