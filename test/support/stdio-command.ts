import { bundleMain } from "./bundle-main.ts";
import { hubMain, toHubEnv, withoutCallLimits } from "./run-cli.ts";

export type StdioOptions = {
  dataDir: string;
  args?: string[];
  main?: string;
  env?: Record<string, string>;
};

/** How a client starts the hub as its child process. */
export function toStdioCommand({ dataDir, args = [], main = hubMain, env }: StdioOptions) {
  return {
    command: process.execPath,
    args: [bundleMain(main), "mcp", "serve", ...args],
    env: toHubEnv({ dataDir, env: { ...withoutCallLimits, ...env } }),
    cwd: dataDir,
    // "pipe" without a reader would stall a program that logs; what it logs is not looked at here.
    stderr: "ignore" as const,
  };
}
