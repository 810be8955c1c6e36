import { join, relative } from "node:path";
import { Glob } from "bun";
import { parseSync } from "oxc-parser";
import { listChanges } from "./changes.ts";
import { readAllImports } from "./imports.ts";
import type { Node } from "./rules/rule.ts";

export type Fault = {
  /** The path from the root of the tree. */
  file: string;
  line: number;
  /** The rule that creates the fault. */
  kind: string;
  start: number;
  end: number;
  before: string;
  after: string;
};

/** Finds every possible fault in the files of a folder, or in one file. */
export async function findFaults(root: string, target: string): Promise<Fault[]> {
  const files = /\.tsx?$/.test(target) ? [target] : await listFiles(root, target);
  const faults: Fault[] = [];
  const product = await findProduct(root);
  for (const file of files.filter((path) => product.has(path))) {
    const text = await Bun.file(join(root, file)).text();
    faults.push(...listFaults(file, text));
  }
  return faults;
}

/** Finds every possible fault in a text. */
export function listFaults(file: string, text: string): Fault[] {
  const faults: Fault[] = [];
  const { program } = parseSync(file, text);
  walk(program as unknown as Node, [], (node, parents) => {
    for (const change of listChanges(node, parents, text)) {
      const { start, end, kind, after } = change;
      const line = text.slice(0, start).split("\n").length;
      faults.push({ file, line, kind, start, end, before: text.slice(start, end), after });
    }
  });
  return faults;
}

export function applyFault(text: string, { start, end, after }: Fault): string {
  return `${text.slice(0, start)}${after}${text.slice(end)}`;
}

/** The files of the product, without files that only tests use. */
async function findProduct(root: string): Promise<Set<string>> {
  const imports = await readAllImports(root);
  const isNamedSo = (file: string) =>
    /\/src\//.test(file) && !/\.(test|testsuite|fixture|d)\.tsx?$|\/testing\//.test(file);
  const product = new Set([...imports.keys()].filter(isNamedSo));
  const isForTests = (file: string) => {
    const importers = [...imports].filter(([, imported]) => imported.includes(file));
    return importers.length > 0 && importers.every(([importer]) => !product.has(importer));
  };
  // Removing a file can leave another one that only tests import.
  for (let found = [""]; found.length > 0; ) {
    found = [...product].filter(isForTests);
    for (const file of found) product.delete(file);
  }
  return product;
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const paths = await Array.fromAsync(new Glob("**/*.{ts,tsx}").scan(join(root, folder)));
  return paths.map((path) => relative(root, join(root, folder, path))).sort();
}

function walk(
  node: Node,
  parents: readonly Node[],
  visit: (node: Node, parents: readonly Node[]) => void,
): void {
  visit(node, parents);
  // Types are not executed.
  if (node.type.startsWith("TS") && !runsInside.has(node.type)) return;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, [...parents, node], visit);
    }
  }
}

const runsInside = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
