import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import type { FencePlan } from "./launch-plan.ts";

/** `list` shows the names in folders, `read` also reads and runs files, `all` also changes them. */
export type Rule = { path: string; rights: "list" | "read" | "all" };

/**
 * Lists what a fenced program may do. Landlock knows only what is allowed, in a folder and all below it.
 * So each folder on the way to a hidden one is not allowed as a whole, but its other entries are.
 */
export function* listRules(plan: FencePlan): Generator<Rule> {
  // Module resolution lists all folders above a file.
  yield { path: "/", rights: "list" };
  yield* listBelow(plan, "/", "all");
  for (const path of plan.read) yield { path, rights: "read" };
  for (const path of plan.written) yield { path, rights: "all" };
}

function* listBelow(plan: FencePlan, path: string, above: "read" | "all"): Generator<Rule> {
  const { hidden, kept } = plan;
  if (hidden.includes(path)) return;
  const rights = kept.includes(path) ? "read" : above;
  const inside = [...hidden, ...(rights === "all" ? kept : [])].filter((one) => isIn(one, path));
  if (inside.length === 0) {
    yield { path, rights };
    return;
  }
  for (const name of listNames(path, inside)) yield* listBelow(plan, join(path, name), rights);
}

function isIn(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** What links point to has rules of its own. */
function listNames(folder: string, inside: readonly string[]): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.isSymbolicLink()).map(({ name }) => name);
  } catch {
    // A folder that this user may pass but not list: only the names on the way are known.
    const start = folder.endsWith(sep) ? folder.length : folder.length + 1;
    return [...new Set(inside.map((path) => path.slice(start).split(sep)[0] ?? ""))];
  }
}
