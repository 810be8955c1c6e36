import { join, resolve } from "node:path";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { toProgramCommand } from "./compile-programs.ts";
import { endWithRunner } from "./end-with-runner.ts";
import { toDatabaseEnv } from "./test-database.ts";

const root = resolve(import.meta.dirname, "../..");

/** The program that `npx hub` runs. */
export const hubMain = join(root, "packages/cli/src/hub.ts");

export type CliResult = {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Parses standard output as one JSON document. */
  json<Value = unknown>(): Value;
};

export type CliOptions = {
  main?: string;
  dataDir: string;
  env?: Record<string, string>;
  /** The default is the data folder. */
  cwd?: string;
  stdin?: string;
  /** Makes no hub in the folder, for tests of what commands do without one. */
  isEmpty?: boolean;
  /** Starts it from sources, for tests of what only such a program does. */
  isFromSource?: boolean;
};

/** Runs one command in a new process, and waits for its end. */
export async function runCli(options: CliOptions, args: readonly string[]): Promise<CliResult> {
  await layHub(options, args);
  const child = Bun.spawn([...toProgramCommand(options.main ?? hubMain, options), ...args], {
    env: toHubEnv(options),
    cwd: options.cwd ?? options.dataDir,
    stdin: new Blob([options.stdin ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
  endWithRunner(child);
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  // The cast is safe: assertions of the caller fail for a wrong type.
  return { exitCode, stdout, stderr, json: <Value>() => JSON.parse(stdout) as Value };
}

/** Commands that make a hub, or that do without. For the others a hub is made in the folder. */
const withoutHub = [
  "serve",
  "mcp",
  "restore",
  "apply",
  "db",
  "migrate",
  "backup",
  "wick",
  "--help",
];

export async function layHub(
  options: Pick<CliOptions, "dataDir" | "env" | "isEmpty">,
  args: readonly string[],
): Promise<void> {
  if (options.isEmpty === true || withoutHub.some((name) => args.includes(name))) return;
  const { HUB_DATABASE_URL: url, HUB_DATA_DIR: dataDir = options.dataDir } = toHubEnv(options);
  if (!url) await layDatabase(dataDir);
}

/** Disables call limits, because tests call faster than normal clients. */
export const withoutCallLimits = { HUB_USER_CALLS_PER_MINUTE: "0", HUB_USER_CALLS_AT_ONCE: "0" };

/** See `cheap-hashes.ts`. */
export const cheapHashes = { TEST_HASHES: "cheap" };

/**
 * How the engine compiles. Under `npm test` most programs live for a second, and what is compiled for them costs more than it
 * saves: both compilers wait longer than they do by themselves.
 */
export const compilerOptions: Record<string, string> =
  process.env.BUN_JSC_useFTLJIT === "0"
    ? {
        BUN_JSC_useFTLJIT: "0",
        BUN_JSC_thresholdForJITAfterWarmUp: "6000",
        BUN_JSC_thresholdForOptimizeAfterWarmUp: "3000",
      }
    : {};

/** The environment of a program under test, without the developer's settings. */
export function toHubEnv({ dataDir, env }: CliOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    // This folder has no files of the developer, and Bun writes no cache there.
    HOME: `${dataDir}-home`,
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
    ...compilerOptions,
    ...cheapHashes,
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    ...toDatabaseEnv(dataDir),
    ...env,
  };
}
