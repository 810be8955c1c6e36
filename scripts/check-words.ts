/** Checks that no file of the repository has a word of `old-words.ts`, so that each idea keeps one name. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { type OldWord, oldWordExceptions, oldWords } from "./old-words.ts";

const checked = [
  "*.md",
  "docs/**/*.md",
  "packages/*/src/**/*.{ts,tsx}",
  "plugins/*/src/**/*.ts",
  "test/**/*.ts",
  "scripts/**/*.{ts,md}",
  "bench/**/*.{ts,md}",
];
/** Lists the old words of a file, one sentence each: in its path, then in its text. */
export function findOldWords(file: string, text: string): string[] {
  const all = oldWords.flatMap((word) => {
    if (word.in !== undefined && !word.in.test(file)) return [];
    if (word.exceptions?.some(({ files }) => files.test(file))) return [];
    return listMatches(word, word.isOfPath ? file : text);
  });
  return all
    .toSorted((one, other) => one.line - other.line)
    .map(
      ({ line, found, instead }) => `${file}:${line}: "${found}" is an old word. Use: ${instead}`,
    );
}

function listMatches({ pattern, instead }: OldWord, text: string) {
  return [...text.matchAll(new RegExp(pattern, "g"))].map(({ 0: found, index }) => ({
    line: text.slice(0, index).split("\n").length,
    found,
    instead,
  }));
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "..");
  const faults: string[] = [];
  const files = checked.flatMap((pattern) => [...new Glob(pattern).scanSync(root)]);
  if (files.length < 1000) throw new Error("The files of the repository were not found.");
  for (const file of files) {
    if (file.includes("node_modules/")) continue;
    if (file === "CHANGELOG.md" || file in oldWordExceptions) continue;
    faults.push(...findOldWords(file, readFileSync(join(root, file), "utf8")));
  }
  for (const fault of faults.sort()) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
