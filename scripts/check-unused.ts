/**
 * Finds files of the server and the contract that no other file imports. These packages export all of their files, so
 * knip takes each of them for used.
 */
import { resolve } from "node:path";
import { readAllImports } from "./mutate/imports.ts";

const packages = /^packages\/(?:server|contract)\/src\//;
/** Files that are started by their path, and types. */
const started = /(?:-worker|\.test|\.d)\.tsx?$|\/testing\//;

export function findUnused(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const imported = new Set([...imports.values()].flat());
  const isUnused = (file: string) =>
    packages.test(file) && !started.test(file) && !imported.has(file);
  return [...imports.keys()].filter(isUnused).sort();
}

if (import.meta.main) {
  const unused = findUnused(await readAllImports(resolve(import.meta.dirname, "..")));
  for (const file of unused) console.error(`No other file imports ${file}. Delete it.`);
  process.exit(unused.length > 0 ? 1 : 0);
}
