import { dirname } from "node:path";
import { Glob } from "bun";
import { readAllImports } from "./imports.ts";

/**
 * The tests that should detect a fault in a folder. Unit tests that import the file run first and need no
 * entry here. Tests that start the program are slow, so a folder has few of them. `--tests` tries an
 * undetected fault with others. A folder without `packages/` lies in the server's sources.
 */
const testsByFolder: readonly [folder: string, tests: string[]][] = [
  [
    "operations",
    [
      "packages/server/src/operations/**/*.test.ts",
      "packages/server/src/mcp/**/*.test.ts",
      ...toPaths("test", "failures echoed-secrets row-tokens every-call-recorded hostile-results"),
    ],
  ],
  [
    "embeddings",
    [
      "packages/server/src/embeddings/**/*.test.ts",
      "packages/server/src/operations/search/**/*.test.ts",
      ...toPaths("test", "semantic-search"),
    ],
  ],
  [
    "sandbox",
    [
      "packages/server/src/sandbox/**/*.test.ts",
      "packages/server/src/workflows/code/**/*.test.ts",
      ...toPaths("test", "sandbox-memory"),
    ],
  ],
  [
    "secrets",
    [
      "packages/server/src/secrets/**/*.test.ts",
      "packages/server/src/operations/**/*.test.ts",
      ...toPaths("test", "masking echoed-secrets row-tokens rotation"),
    ],
  ],
  [
    "identity",
    [
      "packages/server/src/identity/**/*.test.ts",
      "packages/server/src/compose/load-single-sign-on.test.ts",
      "test/api/users.test.ts",
      ...toPaths("test", "sign-in-attacks single-sign-on access-ends profile-pages"),
    ],
  ],
  [
    "oauth",
    [
      "packages/server/src/oauth/**/*.test.ts",
      "packages/server/src/http/oauth/oauth-endpoints.test.ts",
      ...toPaths("test", "oauth-attacks oauth-clients oauth-standards access-ends"),
    ],
  ],
  // The other tests of this folder kill programs, or need another language.
  [
    "plugins",
    [
      ...toPaths("packages/server/src/plugins", "downloads lifecycle refusals sources"),
      ...toPaths("packages/server/src/plugins", "plugin-connector installed/program-records"),
      "packages/server/src/plugins/verify/*.test.ts",
      ...toPaths("packages/server/src/plugins/process", "process plugin-client from-wire-error"),
      "packages/server/src/compose/open-plugins.test.ts",
      ...toPaths("test", "plugin-install plugin-https plugin-parity plugin-isolation"),
      ...toPaths("test", "api/plugins cli/plugins"),
    ],
  ],
  [
    "http/api",
    [
      "packages/server/src/http/api/**/*.test.ts",
      ...toPaths("test/api", "reference access users history rows settings fields hidden-rows"),
    ],
  ],
  [
    "http",
    [
      "packages/server/src/http/**/*.test.ts",
      "packages/server/src/compose/load-single-sign-on.test.ts",
      "test/api/users.test.ts",
      ...toPaths("test", "profile-pages request-attacks hostile-http proxies start-and-stop"),
    ],
  ],
  [
    "services",
    [
      "packages/server/src/services/**/*.test.ts",
      ...toPaths("test/api", "users history rows settings database-failure"),
      "test/cli/*.test.ts",
    ],
  ],
  [
    "compose",
    [
      "packages/server/src/compose/**/*.test.ts",
      "packages/server/src/hub.test.ts",
      "test/wiring.test.ts",
    ],
  ],
  [
    "workflows",
    [
      "packages/server/src/workflows/**/*.test.ts",
      ...toPaths("test/workflows", "webhooks hostile-webhooks http-nodes manual-runs resume"),
      ...toPaths("test/workflows", "triggers approvals workflow-tools hostile-secrets"),
    ],
  ],
  [
    "channels",
    [
      "packages/server/src/channels/**/*.test.ts",
      ...toPaths("test/channels", "channel-doors events-start-runs show-channels link-accounts"),
      ...toPaths("test/channels", "hidden-channels slack-receive telegram-events"),
    ],
  ],
  [
    "bridges",
    [
      "packages/server/src/bridges/**/*.test.ts",
      ...toPaths("test", "bridges bridge-rows bridge-changes bridges-under-attack row-connections"),
    ],
  ],
  [
    "jobs",
    [
      "packages/server/src/jobs/*.test.ts",
      "packages/server/src/compose/start-jobs.test.ts",
      ...toPaths("test", "purge swept-at-start"),
    ],
  ],
  [
    "store",
    [
      "packages/server/src/store/**/*.test.ts",
      ...toPaths("test", "backup two-processes full-disk"),
      ...toPaths("test/api", "history rows database-failure long-lists"),
    ],
  ],
  ["packages/web/src", ["packages/web/src/**/*.test.{ts,tsx}"]],
  [
    "packages/cli/src/clients",
    ["packages/cli/src/clients/**/*.test.ts", "test/cli/mcp-install.test.ts"],
  ],
];

/** Paths of test files in one folder. */
function toPaths(folder: string, names: string): string[] {
  return names.split(" ").map((name) => `${folder}/${name}.test.ts`);
}

export type Tests = {
  /** The test files for a fault in this file, in stages, nearest first. */
  of(file: string): string[][];
};

/** Finds the tests by the table, or uses `wanted` instead. */
export async function findTests(root: string, wanted: readonly string[]): Promise<Tests> {
  const imports = await readAllImports(root);
  const isUnitTest = (file: string) => file.endsWith(".test.ts") && file.includes("/src/");
  const unitTests = [...imports.keys()].filter(isUnitTest).sort();
  const listed = new Map<string, string[]>();
  for (const [folder, globs] of testsByFolder) {
    const path = folder.startsWith("packages/") ? folder : `packages/server/src/${folder}`;
    listed.set(`${path}/`, await listFiles(root, globs));
  }
  const named = await listFiles(root, wanted);

  return {
    of(file) {
      if (wanted.length > 0) return [named];
      const distances = measureDistances(imports, file);
      // A unit test that does not import the file cannot detect the fault. A test of the program can.
      const canDetect = (test: string) => distances.has(test) || test.startsWith("test/");
      const near = unitTests.filter((test) => distances.get(test) === 1);
      const folder = [...listed.keys()].find((name) => file.startsWith(name));
      const others =
        folder === undefined ? listNearby(unitTests, file) : (listed.get(folder) ?? []);
      const [inside, outside] = [
        others.filter(isUnitTest),
        others.filter((one) => !isUnitTest(one)),
      ];
      return toStages([near, inside.filter(canDetect), outside]);
    },
  };
}

function listNearby(unitTests: readonly string[], file: string): string[] {
  return unitTests.filter((test) => test.startsWith(dirname(file)));
}

function toStages(lists: readonly string[][]): string[][] {
  const seen = new Set<string>();
  return lists
    .map((list) => list.filter((file) => !seen.has(file) && seen.add(file)))
    .filter((list) => list.length > 0);
}

/** The number of imports between each file and this one. */
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
    const found = (await Array.fromAsync(new Glob(glob).scan(root))).filter(
      (file) => !file.includes("node_modules/"),
    );
    // Otherwise a renamed test would be omitted silently.
    if (found.length === 0) throw new Error(`No test file matches ${glob}`);
    files.push(...found);
  }
  return files.sort();
}
