import { toProgramCommand } from "./compile-programs.ts";
import { hubMain, toHubEnv, withoutCallLimits } from "./run-cli.ts";

export type StdioOptions = {
  dataDir: string;
  args?: string[];
  main?: string;
  env?: Record<string, string>;
};

/** The command with which a client starts the hub as its child process. */
export function toStdioCommand({ dataDir, args = [], main = hubMain, env }: StdioOptions) {
  const [command, ...first] = toProgramCommand(main);
  return {
    command,
    args: [...first, "mcp", "serve", ...args],
    env: toHubEnv({ dataDir, env: { ...withoutCallLimits, ...env } }),
    cwd: dataDir,
    // A pipe without a reader would block a program that logs.
    stderr: "ignore" as const,
  };
}
