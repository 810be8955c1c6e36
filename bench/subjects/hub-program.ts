import { resolve } from "node:path";
import { z } from "zod";
import type { Bench } from "../measure.ts";
import { type RunningProgram, startProgram } from "./running-program.ts";

const hubMain = resolve(import.meta.dirname, "../../packages/cli/src/hub.ts");

/** Starts a hub. `main` is an alternative program of a downstream project; `env` contains settings. */
export function startHub(
  { profileFolder }: Pick<Bench, "profileFolder">,
  dataDir: string,
  main: string = hubMain,
  env: Record<string, string> = {},
): Promise<RunningProgram> {
  const flags =
    profileFolder === null
      ? []
      : ["--cpu-prof", "--cpu-prof-md", `--cpu-prof-dir=${profileFolder}`];
  const program = { cwd: dataDir, env: { ...toHubEnv(dataDir), ...env } };
  return startProgram([...flags, main, "serve"], program);
}

/** The command of a client that starts `hub mcp serve`. */
export type StdioCommand = readonly string[];

export const stdioFromSource: StdioCommand = [process.execPath, hubMain, "mcp", "serve"];

/** Compiles this checkout and returns the command that a client's entry has in mode `auto`. */
export async function compileStdioHub(dataDir: string): Promise<StdioCommand> {
  const checkout = resolve(import.meta.dirname, "../..");
  const entries = await runHub(dataDir, ["mcp", "config", "--project", checkout]);
  const [first] = entriesSchema.parse(entries);
  const { command, args } = entrySchema.parse(JSON.parse(first.text)).mcpServers.hub;
  return [command, ...args];
}

const entriesSchema = z.tuple([z.object({ text: z.string() })]).rest(z.unknown());
const serverSchema = z.object({ command: z.string(), args: z.array(z.string()) });
const entrySchema = z.object({ mcpServers: z.object({ hub: serverSchema }) });

/** A program that serves over stdio, with its standard input and output open. */
export function spawnStdioHub(dataDir: string, command: StdioCommand) {
  return Bun.spawn([...command], {
    cwd: dataDir,
    env: toHubEnv(dataDir),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
}

/** Runs one command with `--json` and returns what it printed. */
export async function runHub(
  dataDir: string,
  args: readonly string[],
  main: string = hubMain,
  env: Record<string, string> = {},
): Promise<unknown> {
  const child = Bun.spawn([process.execPath, main, ...args, "--json"], {
    cwd: dataDir,
    env: { ...toHubEnv(dataDir), ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`hub ${args.join(" ")}: ${complaint}`);
  return JSON.parse(output);
}

/** The environment of a measured program, without the user's settings. */
export function toHubEnv(dataDir: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: dataDir,
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    // The load comes from one user and exceeds the default limits.
    HUB_USER_CALLS_PER_MINUTE: "0",
    HUB_USER_CALLS_AT_ONCE: "0",
    HUB_AUDIT_USER_BYTES_PER_DAY: "0",
    HUB_WORKFLOW_BYTES_PER_DAY: "0",
  };
}
