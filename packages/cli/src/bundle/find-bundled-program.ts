import { existsSync } from "node:fs";
import { join } from "node:path";
import { findBundle } from "./find-bundle.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");

/**
 * Returns the path of the bundled program, which starts in half the processor time of its sources.
 * Returns null outside a checkout and when no bundle can be written; the sources run then.
 */
export function findBundledProgram(name: "hub-main" | "wick-main"): string | null {
  const sources = join(root, "packages", "cli", "src");
  if (!existsSync(join(sources, `${name}.ts`))) return null;
  const mains = [join(sources, "hub-main.ts"), join(sources, "wick-main.ts"), ...findWorkers(root)];
  const folder = findBundle({ root, name: "hub", mains, folders: [] });
  return folder === null ? null : join(folder, `${name}.js`);
}

/**
 * The server's workers, which a bundle needs as separate entry files.
 * @internal
 */
export function findWorkers(root: string): string[] {
  const source = join(root, "packages", "server", "src");
  return [
    join(source, "operations", "answers", "answer-worker.ts"),
    join(source, "bridges", "openapi", "documents", "document-worker.ts"),
  ];
}
