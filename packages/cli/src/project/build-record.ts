import { readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { findCommit } from "@hub/server/lib/process/find-commit.ts";
import type { Project } from "./find-project.ts";
import { readSourceState } from "./sources.ts";

/** What a compiled program was built from. It lies beside the program. */
export type BuildRecord = {
  /** Also compiled into the program. */
  id: string;
  /** File name of the program. */
  program: string;
  program_bytes: number;
  root: string;
  entry: string;
  /** The platform of the program, such as `linux-x64`. */
  target: string;
  bun_version: string;
  hub_version: string;
  built_at: string;
  commit: string | null;
  newest_source: string;
  /** Of the sources. Empty if a source changed during the build. */
  fingerprint: string;
  /** Relative to the root. */
  sources: readonly string[];
};

/** A program that was built, in the folder of its record. */
export type BuiltProgram = { path: string; record: BuildRecord };

export const hostTarget = `${process.platform}-${process.arch}`;

/** Returns the program that was built for this project in this place on this platform, or null. */
export function findBuilt(project: Project, folder: string): BuiltProgram | null {
  const record = readRecord(join(folder, toRecordName(project)));
  if (record === null) return null;
  const path = join(folder, record.program);
  const isOfProject = record.root === project.root && record.entry === project.entry;
  // After a power failure, a file can be shorter than what was written.
  const isWhole = statSync(path, { throwIfNoEntry: false })?.size === record.program_bytes;
  return isOfProject && record.target === hostTarget && isWhole ? { path, record } : null;
}

/** Whether the project is still as it was when this program was built. */
export function isFresh(project: Project, { record }: BuiltProgram): boolean {
  return (
    coversEntry(project, record) &&
    record.bun_version === Bun.version &&
    record.commit === findCommit(project.root) &&
    record.fingerprint === readSourceState(project.root, record.sources).fingerprint
  );
}

/**
 * A record without the entry may have come with the project, together with a program of other
 * sources: the times of the entry on this machine cannot be known elsewhere.
 */
function coversEntry({ root, entry }: Project, { sources }: BuildRecord): boolean {
  return sources.includes(relative(root, entry));
}

export function toRecordName({ name }: Project): string {
  return `${name}.json`;
}

function readRecord(file: string): BuildRecord | null {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(found) ? found : null;
  } catch {
    return null;
  }
}

/** Checks the members that decide which program runs. */
function isRecord(value: unknown): value is BuildRecord {
  const found: Record<string, unknown> = { ...Object(value) };
  const { sources, commit, program } = found;
  const texts = ["id", "program", "root", "entry", "target", "bun_version", "fingerprint"];
  return (
    texts.every((name) => typeof found[name] === "string") &&
    typeof found.program_bytes === "number" &&
    /^[\w.-]+$/.test(String(program)) &&
    (commit === null || typeof commit === "string") &&
    Array.isArray(sources) &&
    sources.every((source) => typeof source === "string")
  );
}
