/**
 * Checks that the queries of the store name their columns. After a migration that adds one, PostgreSQL refuses a `select *` that a
 * server of the version before has prepared.
 */
import { join, resolve } from "node:path";
import { Glob } from "bun";

const root = resolve(import.meta.dirname, "..");
/** All columns of a subquery that is named in the same file are those that the subquery names. */
const ofTable = /\.(?:returningAll\(|selectAll\((?:\)|"(\w+)"))/g;
const inSql = /["'`\s](?:select|returning) (?:\w+\.)?\*/g;

/** Lists every query of all columns, one sentence each. */
export async function findColumnFaults(): Promise<string[]> {
  const faults: string[] = [];
  for await (const file of new Glob("packages/server/src/**/*.ts").scan(root)) {
    if (/\.(?:test|testsuite)\.ts$|\/testing\//.test(file)) continue;
    faults.push(...findFaults(file, await Bun.file(join(root, file)).text()));
  }
  return faults.sort();
}

export function findFaults(file: string, text: string): string[] {
  const code = text.replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "");
  const named = new Set([...code.matchAll(/\.as\("(\w+)"\)/g)].map(([, name]) => name));
  const found = [...code.matchAll(ofTable)].filter(([, name]) => !named.has(name));
  // SQLite prepares a statement anew by itself.
  if (!/sqlite/.test(file)) found.push(...code.matchAll(inSql));
  return found.map(({ index, 0: query }) => {
    const line = code.slice(0, index).split("\n").length;
    return `${file}:${line}: a query reads all columns (${query.trim()}); name them, as in store/database/table-columns.ts`;
  });
}

if (import.meta.main) {
  const faults = await findColumnFaults();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
