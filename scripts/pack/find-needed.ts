import { isBuiltin } from "node:module";
import { extname, join, posix } from "node:path";
import { listSourceFiles } from "./list-source-files.ts";
import { sourceNames } from "./packed-packages.ts";

const loaders = { ".ts": "ts", ".tsx": "tsx" } as const;

/** What the files of a package import from others, and the imports that lead to no file of the packages. */
export type Needed = { packages: string[]; broken: string[] };

/** Reads the imports of every file that `npm run pack` puts into a package. */
export async function findNeeded(root: string, name: string): Promise<Needed> {
  const folder = join(root, "packages", name);
  const files = new Set(listSourceFiles(folder));
  const packages = new Set<string>();
  const broken: string[] = [];
  for (const file of files) {
    for (const path of await readImports(join(folder, file))) {
      if (isBuiltin(path) || path === "bun" || path.startsWith("bun:")) continue;
      if (!path.startsWith(".")) packages.add(toPackageName(path));
      const target = path.startsWith(".") ? posix.join(posix.dirname(file), path) : null;
      if (target !== null ? !files.has(target) : isMissing(root, path)) {
        broken.push(`packages/${name}/${file}: ${path}`);
      }
    }
  }
  return { packages: [...packages].sort(), broken };
}

async function readImports(file: string): Promise<string[]> {
  const loader = loaders[extname(file) as keyof typeof loaders];
  if (loader === undefined || file.endsWith(".d.ts")) return [];
  const text = (await Bun.file(file).text()).replace(/^#!.*/, "");
  const imports = new Bun.Transpiler({ loader }).scanImports(text).map(({ path }) => path);
  // The transpiler adds React for JSX, also where the file names another package for it.
  const [, jsx] = /@jsxImportSource (\S+)/.exec(text) ?? [];
  return jsx === undefined
    ? imports
    : [...imports.filter((path) => toPackageName(path) !== "react"), jsx];
}

/** `@hub/server/lib/x.ts` names a file; `@hub/connector` and those of others do not. */
function isMissing(root: string, path: string): boolean {
  const [, name, file] = /^@hub\/([^/]+)\/(.+\.\w+)$/.exec(path) ?? [];
  if (name === undefined || file === undefined) return false;
  const isKnown = sourceNames.some((each) => each === name);
  return !isKnown || !listOnce(join(root, "packages", name)).has(`src/${file}`);
}

const lists = new Map<string, Set<string>>();

function listOnce(folder: string): Set<string> {
  const list = lists.get(folder) ?? new Set(listSourceFiles(folder));
  lists.set(folder, list);
  return list;
}

function toPackageName(path: string): string {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}
