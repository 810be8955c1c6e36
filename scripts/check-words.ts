/** Checks that no file of the repository has a word of `old-words.ts`, so that each idea keeps one name. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { oldWordExceptions, oldWords, uncheckedFolders } from "./old-words.ts";

const checked = [
  "*.md",
  "docs/**/*.md",
  "packages/*/src/**/*.{ts,tsx}",
  "plugins/*/src/**/*.ts",
  "test/**/*.ts",
  "scripts/**/*.{ts,md}",
  "bench/**/*.{ts,md}",
];
const words = Object.entries(oldWords);
const anyWord = new RegExp(words.map(([source]) => source).join("|"), "g");

/** Lists the old words of a text, one sentence each. */
export function findOldWords(file: string, text: string): string[] {
  return [...text.matchAll(anyWord)].map(({ 0: found, index }) => {
    const line = text.slice(0, index).split("\n").length;
    const [, instead] = words.find(([source]) => new RegExp(`^(?:${source})$`).test(found)) ?? [];
    return `${file}:${line}: "${found}" is an old word. Use: ${instead}`;
  });
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, "..");
  const faults: string[] = [];
  const files = checked.flatMap((pattern) => [...new Glob(pattern).scanSync(root)]);
  if (files.length < 1000) throw new Error("The files of the repository were not found.");
  for (const file of files) {
    if (file.includes("node_modules/") || uncheckedFolders.test(file)) continue;
    if (file === "CHANGELOG.md" || file in oldWordExceptions) continue;
    faults.push(...findOldWords(file, readFileSync(join(root, file), "utf8")));
  }
  for (const fault of faults.sort()) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
