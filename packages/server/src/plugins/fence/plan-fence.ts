import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { FenceState } from "./find-fence-state.ts";
import { findKeptFiles } from "./find-kept-files.ts";
import type { FencePlan, ProgramFolders } from "./launch-plan.ts";

/** What the launcher hides from a program, and what it leaves. Null without Landlock. */
export function planFence(
  dataDir: string,
  { landlock }: FenceState,
  { read, written }: Pick<ProgramFolders, "read" | "written">,
  alsoKept: readonly string[] = [],
): FencePlan | null {
  if (landlock === "off" || landlock === 0) return null;
  const hidden = [...listOwn(dataDir), ...listDisks()];
  return { hidden, kept: [...findKeptFiles(), ...alsoKept], read, written };
}

/** The data folder, and what links in it make of a mounted secret. */
function listOwn(dataDir: string): string[] {
  const files = ["keys.json", "hub.sqlite"].map((name) => join(dataDir, name));
  const found = [dataDir, ...files.filter((path) => existsSync(path))];
  return [...new Set(found.map((path) => realpathSync(path)))];
}

/** A user who may read a disk would find all files there. */
function listDisks(): string[] {
  if (!existsSync("/dev")) return [];
  const entries = readdirSync("/dev", { withFileTypes: true });
  return entries.filter((entry) => entry.isBlockDevice()).map(({ name }) => join("/dev", name));
}
