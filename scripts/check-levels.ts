/**
 * Checks the import levels of ARCHITECTURE.md: a file of the server imports from a lower level or its own
 * folder, packages import only the packages listed here, and plugins of the checkout import only
 * `connector`. Only `store/` imports the packages of a database, the protocol of MCP imports none of its tools, and
 * only `test/oracles` imports its own files.
 */
import { dirname, join, relative, resolve } from "node:path";
import { Glob } from "bun";

const serverLevels: Record<string, number> = {
  "hub.ts": 9,
  compose: 8,
  http: 7,
  mcp: 6,
  channels: 6,
  services: 5,
  workflows: 4,
  scripts: 4,
  bridges: 4,
  docs: 4,
  operations: 3,
  plugins: 3,
  oauth: 3,
  embeddings: 2,
  connectors: 2,
  identity: 2,
  jobs: 2,
  // Uses the store, and is used by level 2.
  changes: 1.5,
  secrets: 1,
  sandbox: 1,
  store: 1,
  "stored-settings.ts": 1,
  lib: 0,
  "errors.ts": 0,
  "config.ts": 0,
  settings: 0,
  "caller.ts": 0,
  "sql.d.ts": 0,
};

/** The packages that each package may import. Connectors need only `connector`. */
const packageImports: Record<string, string[]> = {
  connector: [],
  contract: ["connector"],
  server: ["connector", "contract"],
  cli: ["connector", "contract", "server"],
  web: ["contract"],
};

/** The packages that a plugin of the checkout may import, like any plugin. */
const pluginImports = ["connector"];

/** Packages of one kind of database, and the files that wrap them. Only `store/` may import these. */
const databaseImports = ["kysely", "bun:sqlite"];
const databaseFiles = [
  join("store", "database", "kysely.ts"),
  join("store", "database", "connection.ts"),
];

const root = resolve(import.meta.dirname, "..");
const packagesDir = join(root, "packages");
const pluginsDir = join(root, "plugins");
const serverSrc = join(packagesDir, "server", "src");
const mcpDir = join(serverSrc, "mcp", "/");
const toolsDir = join(mcpDir, "tools", "/");
const importPattern = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

/** Lists every import that violates a rule, one sentence each. */
export async function findLevelFaults(): Promise<string[]> {
  const faults: string[] = [];
  for await (const file of new Glob("{packages,plugins}/*/src/**/*.{ts,tsx}").scan(root)) {
    const path = join(root, file);
    const text = await Bun.file(path).text();
    for (const [, specifier] of text.matchAll(importPattern)) {
      if (specifier === undefined) continue;
      const fault = findFault(path, specifier);
      if (fault !== null) faults.push(`${relative(root, path)} imports ${specifier}: ${fault}`);
    }
  }
  return [...faults, ...(await findOracleFaults())].sort();
}

/**
 * Lists imports of `test/oracles` from outside. Its packages are installed apart, so a fresh clone could not
 * check the types of such a file.
 */
async function findOracleFaults(): Promise<string[]> {
  const oracles = join(root, "test", "oracles");
  const faults: string[] = [];
  for await (const file of new Glob("{bench,scripts,test}/**/*.ts").scan(root)) {
    const path = join(root, file);
    if (path.startsWith(join(oracles, "/")) || file.includes("node_modules")) continue;
    for (const [, specifier] of (await Bun.file(path).text()).matchAll(importPattern)) {
      if (!specifier?.startsWith(".")) continue;
      if (!resolve(dirname(path), specifier).startsWith(oracles)) continue;
      faults.push(
        `${file} imports ${specifier}: move it below test/oracles, which has the packages`,
      );
    }
  }
  return faults;
}

/** The rule that an import in the file at `path` violates; null if it violates none. */
export function findFault(path: string, specifier: string): string | null {
  if (path.startsWith(pluginsDir)) return findPluginFault(path, specifier);
  const databaseFault = findDatabaseFault(path, specifier);
  if (databaseFault !== null) return databaseFault;
  const packageName = relative(packagesDir, path).split("/")[0] ?? "";
  const other = /^@hub\/([a-z-]+)/.exec(specifier)?.[1];
  // The examples in a package's comments contain its own name.
  if (other !== undefined && other !== packageName) {
    const isAllowed = packageImports[packageName]?.includes(other) ?? false;
    return isAllowed ? null : `"${packageName}" may not import "${other}"`;
  }
  if (!specifier.startsWith(".")) return null;
  const target = resolve(dirname(path), specifier);
  if (!target.startsWith(join(packagesDir, packageName))) return "import the package by its name";
  return packageName === "server" ? findLevelFault(path, target) : null;
}

/** Finds code outside `store/` that depends on the kind of database. Tests may open a file with SQLite. */
function findDatabaseFault(path: string, specifier: string): string | null {
  if (path.startsWith(join(serverSrc, "store", "/"))) return null;
  if (specifier === "bun:sqlite" && path.endsWith(".test.ts")) return null;
  const isHidden =
    databaseImports.includes(specifier) ||
    databaseFiles.some((file) => resolve(dirname(path), specifier).endsWith(file));
  return isHidden ? "only store/ knows the kind of database; use its functions" : null;
}

function findPluginFault(path: string, specifier: string): string | null {
  const name = relative(pluginsDir, path).split("/")[0] ?? "";
  const other = /^@hub\/([a-z-]+)/.exec(specifier)?.[1];
  if (other !== undefined && !pluginImports.includes(other)) {
    return `the plugin "${name}" may not import "${other}"`;
  }
  const isOutside =
    specifier.startsWith(".") &&
    !resolve(dirname(path), specifier).startsWith(join(pluginsDir, name));
  return isOutside ? "a plugin imports its own files, and packages by their name" : null;
}

function findLevelFault(path: string, target: string): string | null {
  if (isProtocol(path) && target.startsWith(toolsDir)) {
    return "the protocol knows no tool; the composition root gives it a ToolSet";
  }
  const from = toFolder(path);
  const to = toFolder(target);
  const fromLevel = serverLevels[from];
  const toLevel = serverLevels[to];
  if (fromLevel === undefined) return `"${from}" has no level; add it to check-levels.ts`;
  if (toLevel === undefined) return `"${to}" has no level; add it to check-levels.ts`;
  if (from === to || toLevel < fromLevel) return null;
  // Level 0 has single files besides lib/. They may import each other.
  if (fromLevel === 0 && toLevel === 0) return null;
  return `"${from}" is level ${fromLevel}, "${to}" is level ${toLevel}; imports go to a lower level`;
}

/** Whether a file is of MCP itself. Its tests may use the meta-tools. */
function isProtocol(path: string): boolean {
  const isTest = path.endsWith(".test.ts") || path.startsWith(join(mcpDir, "testing", "/"));
  return path.startsWith(mcpDir) && !path.startsWith(toolsDir) && !isTest;
}

/** The folder of a file, or the file itself at the top level. A test belongs to its file. */
function toFolder(path: string): string {
  return (relative(serverSrc, path).split("/")[0] ?? "").replace(".test.ts", ".ts");
}

if (import.meta.main) {
  const faults = await findLevelFaults();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
