import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

/** Maps every source file of the tree to the workspace files that it imports. */
export async function readAllImports(root: string): Promise<Map<string, string[]>> {
  const imports = new Map<string, string[]>();
  const sources = new Glob("{packages,plugins,scripts,test,bench}/**/*.{ts,tsx}");
  for await (const file of sources.scan(root)) {
    if (!file.includes("node_modules/")) imports.set(file, await readImports(root, file));
  }
  return imports;
}

async function readImports(root: string, file: string): Promise<string[]> {
  const text = await Bun.file(join(root, file)).text();
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+|@hub\/[^"]+)"/g);
  return [...specifiers].map(([, specifier = ""]) => toPath(dirname(file), specifier));
}

function toPath(folder: string, specifier: string): string {
  if (!specifier.startsWith("@hub/")) return normalize(join(folder, specifier));
  const [, name = "", path = ""] = /^@hub\/([^/]+)\/?(.*)$/.exec(specifier) ?? [];
  // A path without an extension is an entry point of the package.
  return `packages/${name}/src/${path.endsWith(".ts") ? path : join(path, "index.ts")}`;
}
