import { join, resolve } from "node:path";
import { bundleMain } from "./bundle-main.ts";

const root = resolve(import.meta.dirname, "../..");

/** The program as `npx hub` runs it. */
export const hubMain = join(root, "packages/cli/src/hub.ts");

export type CliResult = {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** Parses standard output, which must be one JSON document. */
  json<Value = unknown>(): Value;
};

export type CliOptions = {
  main?: string;
  dataDir: string;
  env?: Record<string, string>;
  stdin?: string;
};

/** Runs one command to its end, in a process of its own. */
export async function runCli(options: CliOptions, args: readonly string[]): Promise<CliResult> {
  const child = Bun.spawn([process.execPath, bundleMain(options.main ?? hubMain), ...args], {
    env: toHubEnv(options),
    cwd: options.dataDir,
    stdin: new Blob([options.stdin ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  // The caller names the shape that the command answers with; a wrong one fails its assertions.
  return { exitCode, stdout, stderr, json: <Value>() => JSON.parse(stdout) as Value };
}

/** Tests call faster than honest clients: what they send must not wait for a minute to pass. */
export const withoutCallLimits = { HUB_USER_CALLS_PER_MINUTE: "0", HUB_USER_CALLS_AT_ONCE: "0" };

/** Nothing of the developer's own settings may reach a program under test. */
export function toHubEnv({ dataDir, env }: CliOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    // Nothing of theirs is found there, and Bun puts no cache of its own there.
    HOME: `${dataDir}-home`,
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    ...env,
  };
}
