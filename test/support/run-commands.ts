import { join } from "node:path";
import { type CliOptions, runCli } from "./run-cli.ts";

const main = join(import.meta.dirname, "command-runner.ts");

/** Runs several commands in one process, to prepare a test. Returns the output of each. */
export async function runCommands(
  options: Pick<CliOptions, "dataDir" | "env">,
  commands: readonly (readonly string[])[],
): Promise<string[]> {
  const result = await runCli({ ...options, main, stdin: JSON.stringify(commands) }, []);
  if (result.exitCode !== 0) throw new Error(`${JSON.stringify(commands)}: ${result.stderr}`);
  return result.json<string[]>();
}
