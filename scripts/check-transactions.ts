/**
 * Checks the callbacks of transactions, which may run more than once. A callback may use only the
 * transaction, and not clocks, random numbers, files, keys or the database itself.
 */
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { parseSync, Visitor } from "oxc-parser";

const root = resolve(import.meta.dirname, "..");
const functions = new Set(["transaction", "exclusiveTransaction", "storeSecrets"]);

const refused: Record<string, RegExp> = {
  "the clock": /\bDate\b|\bperformance\b|\bnow\(\)/,
  "random numbers": /\brandom\w*\(|\bcrypto\b|\bstampChange\(/,
  "files and keys": /\b(?:read|write|create)KeyFile\(|\breload\(|\bBun\.(?:file|write)\(/,
  "the network": /\bfetch\w*\(/,
  "the database itself": /\b(?:store|deps)\.db\b/,
};

/** Lists every callback that uses more than its transaction, one sentence each. */
export async function findTransactionFaults(): Promise<string[]> {
  const faults: string[] = [];
  for await (const file of new Glob("packages/{server,cli}/src/**/*.{ts,tsx}").scan(root)) {
    if (/\.(?:test|testsuite)\.ts$|\/testing\//.test(file)) continue;
    faults.push(...findFaults(file, await Bun.file(join(root, file)).text()));
  }
  return faults.sort();
}

export function findFaults(file: string, text: string): string[] {
  const faults: string[] = [];
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== "Identifier" || !functions.has(callee.name)) return;
      const callback = given.at(-1);
      if (callback === undefined) return;
      const source = text.slice(callback.start, callback.end);
      const line = text.slice(0, callback.start).split("\n").length;
      for (const [what, pattern] of Object.entries(refused)) {
        const found = pattern.exec(source)?.[0];
        if (found === undefined) continue;
        faults.push(`${file}:${line}: a transaction uses ${what} (${found}); do this before it`);
      }
    },
  }).visit(parseSync(file, text).program);
  return faults;
}

if (import.meta.main) {
  const faults = await findTransactionFaults();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
