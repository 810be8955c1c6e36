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
    if (word.exceptions?.some(({ files }) => files.test(file))) return [];
    return listMatches(word, file, text);
  });
  return all
    .toSorted((one, other) => one.line - other.line)
    .map(
      ({ line, found, instead }) => `${file}:${line}: "${found}" is an old word. Use: ${instead}`,
    );
}

/** Lists the exceptions that no file needs, one sentence each. `texts` has all files by their paths. */
export function findUnneeded(texts: ReadonlyMap<string, string>): string[] {
  return oldWords.flatMap((word) =>
    (word.exceptions ?? [])
      .filter(({ files }) => {
        const named = [...texts].filter(([file]) => files.test(file));
        return named.every(([file, text]) => listMatches(word, file, text).length === 0);
      })
      .map(({ files }) => `scripts/old-words.ts: no file needs the exception ${files}; remove it`),
  );
}

function listMatches(word: OldWord, file: string, text: string) {
  if (word.in !== undefined && !word.in.test(file)) return [];
  const searched = word.isOfPath ? file : text;
  return [...searched.matchAll(new RegExp(word.pattern, "g"))].map(({ 0: found, index }) => ({
    line: searched.slice(0, index).split("\n").length,
    found,
    instead: word.instead,
  }));
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "..");
  const files = checked.flatMap((pattern) => [...new Glob(pattern).scanSync(root)]);
  if (files.length < 1000) throw new Error("The files of the repository were not found.");
  const texts = new Map<string, string>();
  for (const file of files) {
    if (file.includes("node_modules/") || file in oldWordExceptions) continue;
    texts.set(file, readFileSync(join(root, file), "utf8"));
  }
  const faults = [...texts].flatMap(([file, text]) => findOldWords(file, text));
  faults.push(...findUnneeded(texts));
  for (const fault of faults.sort()) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
