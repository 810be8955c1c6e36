/**
 * Finds files that import each other in a circle, types included: none of them can be read without the
 * others. Imports at run time (`await import()`) count too.
 */
import { dirname, join, relative, resolve } from "node:path";
import { Glob } from "bun";

const root = resolve(import.meta.dirname, "..");
const sources = "{packages,plugins}/*/src/**/*.{ts,tsx}";
const importPattern = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

/** Each circle as the paths of its files, in alphabetical order. */
export async function findCircles(): Promise<string[][]> {
  const imports = new Map<string, string[]>();
  for await (const file of new Glob(sources).scan(root)) {
    imports.set(file, listImports(file, await Bun.file(join(root, file)).text()));
  }
  return findComponents(imports).filter((files) => files.length > 1);
}

/** The files of the same package that a file imports. Other packages are imported in one direction only. */
function listImports(file: string, text: string): string[] {
  const targets = [...text.matchAll(importPattern)].map(([, target]) => target ?? "");
  return targets
    .filter((target) => target.startsWith("."))
    .map((target) => relative(root, resolve(root, dirname(file), target)));
}

/** The strongly connected components of a graph, by Tarjan's algorithm. */
export function findComponents(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const components: string[][] = [];

  const visit = (node: string) => {
    order.set(node, order.size);
    lowest.set(node, order.get(node) ?? 0);
    stack.push(node);
    for (const target of edges.get(node) ?? []) {
      if (!edges.has(target)) continue;
      if (!order.has(target)) {
        visit(target);
        lower(node, lowest.get(target));
      } else if (stack.includes(target)) lower(node, order.get(target));
    }
    if (lowest.get(node) !== order.get(node)) return;
    components.push(stack.splice(stack.indexOf(node)).sort());
  };
  const lower = (node: string, by = 0) => lowest.set(node, Math.min(lowest.get(node) ?? by, by));

  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return components.sort();
}

if (import.meta.main) {
  const circles = await findCircles();
  for (const files of circles) console.error(`These files import each other: ${files.join(", ")}`);
  process.exit(circles.length > 0 ? 1 : 0);
}
