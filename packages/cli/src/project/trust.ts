import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { findUserDataFolder } from "@hub/server/lib/files/data-folder.ts";
import type { Project } from "./find-project.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Records that the user wants this project to run without `--project`. The record lies outside the
 * project, so that a cloned folder cannot bring its own.
 */
export function trustProject(project: Project, env: Environment): void {
  const folder = findTrustFolder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, toFileName(project));
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(toRecord(project), null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Removes the record of this project. Returns the folder of the records. */
export function distrustProject(project: Project, env: Environment): string {
  const folder = findTrustFolder(env);
  rmSync(join(folder, toFileName(project)), { force: true });
  return folder;
}

export function isTrusted(project: Project, env: Environment): boolean {
  const file = join(findTrustFolder(env), toFileName(project));
  try {
    // A variable could move the folder of records into the project.
    if (realpathSync(file).startsWith(project.root + sep)) return false;
    const { root, entry } = toRecord(project);
    const record: unknown = JSON.parse(readFileSync(file, "utf8"));
    const found: Record<string, unknown> = { ...Object(record) };
    return found.root === root && found.entry === entry;
  } catch {
    return false;
  }
}

function findTrustFolder(env: Environment): string {
  return join(findUserDataFolder(env, "hub"), "trusted-projects");
}

/** One file for each project, so that two commands at the same time lose no record. */
function toFileName({ root, entry }: Project): string {
  const hash = createHash("sha256").update(JSON.stringify([root, entry]));
  return `${hash.digest("hex").slice(0, 32)}.json`;
}

function toRecord({ root, entry }: Project): { root: string; entry: string } {
  return { root, entry };
}
