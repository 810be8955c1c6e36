import { dirname } from "node:path";
import { Glob } from "bun";
import { readAllImports } from "./imports.ts";

/**
 * Tests outside the folder of a fault that should notice it, in the order in which they run. The
 * unit tests beside the fault run before them and need no line here.
 */
const testsByFolder: readonly [folder: string, tests: string[]][] = [
  ["packages/server/src/operations", ["packages/server/src/{mcp,manager}/**/*.test.ts"]],
  ["packages/server/src/secrets", ["packages/server/src/operations/*.test.ts"]],
  [
    "packages/server/src/identity",
    ["packages/server/src/http/*.test.ts", "test/api/people.test.ts"],
  ],
  ["packages/server/src/oauth", ["packages/server/src/http/*.test.ts", "test/oauth-*.test.ts"]],
  ["packages/server/src/plugins", ["test/plugin-{install,https}.test.ts"]],
  ["packages/server/src/http", ["test/{api/*,hostile-http,sign-in-attacks}.test.ts"]],
  ["packages/server/src/manager", ["packages/server/src/http/*.test.ts", "test/api/*.test.ts"]],
  ["packages/server/src/compose", ["packages/server/src/hub.test.ts", "test/starts.test.ts"]],
];

export type Tests = {
  /** The test files for a fault in this file, in stages: the nearest first. */
  of(file: string): string[][];
};

/** `wanted` replaces the table. */
export async function findTests(root: string, wanted: readonly string[]): Promise<Tests> {
  const imports = await readAllImports(root);
  const isUnitTest = (file: string) => file.endsWith(".test.ts") && file.includes("/src/");
  const unitTests = [...imports.keys()].filter(isUnitTest).sort();
  const far = new Map<string, string[]>();
  for (const [folder, globs] of testsByFolder) far.set(folder, await listFiles(root, globs));
  const named = await listFiles(root, wanted);

  return {
    of(file) {
      if (wanted.length > 0) return [named];
      const distances = measureDistances(imports, file);
      const near = unitTests.filter((test) => (distances.get(test) ?? 99) <= 1);
      const folder = testsByFolder.map(([name]) => name).find((name) => file.startsWith(name));
      const beside = unitTests.filter(
        (test) => distances.has(test) && test.startsWith(folder ?? dirname(file)),
      );
      const others = folder === undefined ? [] : (far.get(folder) ?? []);
      // A unit test that does not reach the file cannot notice; one of the running program may.
      const rest = others.filter((test) => distances.has(test) || test.startsWith("test/"));
      return toStages([near, beside, ...rest.map((test) => [test])]);
    },
  };
}

function toStages(lists: readonly string[][]): string[][] {
  const seen = new Set<string>();
  return lists
    .map((list) => list.filter((file) => !seen.has(file) && seen.add(file)))
    .filter((list) => list.length > 0);
}

/** How many imports lie between each file and this one. */
function measureDistances(imports: Map<string, string[]>, file: string): Map<string, number> {
  const distances = new Map([[file, 0]]);
  for (const [reached, distance] of distances) {
    for (const [importer, imported] of imports) {
      if (imported.includes(reached) && !distances.has(importer)) {
        distances.set(importer, distance + 1);
      }
    }
  }
  return distances;
}

async function listFiles(root: string, globs: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const glob of globs) {
    for await (const file of new Glob(glob).scan(root)) {
      if (!file.includes("node_modules/")) files.push(file);
    }
  }
  return files.sort();
}
