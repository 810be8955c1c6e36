import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { findSelfCommand } from "../../lib/process/self-command.ts";

/**
 * Returns the files of the hub's own program that this user could change: a program of others that
 * changes them would run without a fence at the next start.
 */
export function findKeptFiles(): string[] {
  const { args } = findSelfCommand();
  // From sources: the checkout or project, with all modules.
  const sources = args.length === 0 ? [] : [dirname(Bun.main), import.meta.dirname];
  const roots = sources.flatMap((folder) => findRoot(folder) ?? []);
  return [...new Set([realpathSync(process.execPath), ...roots])].filter(canChange);
}

/** The outermost folder above that has packages. */
function findRoot(folder: string): string | null {
  let found: string | null = null;
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) found = realpathSync(at);
  }
  return found;
}

/** Also who may change a folder above it may replace it. */
function canChange(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (isWritable(at)) return true;
    if (at === dirname(at)) return false;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
