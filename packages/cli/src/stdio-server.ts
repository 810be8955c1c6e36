import type { Config } from "@hub/server/config.ts";
import type { StdioServer } from "./client-entries.ts";
import { findSelfCommand } from "./self-command.ts";

const defaultBaseUrl = "http://localhost:7420";

/**
 * How an MCP client starts this hub on this data folder. A key or any other secret of the
 * environment is not in it: it would end up in a file of the client's. The address in force is, so that
 * what the hub says of its pages leads to them.
 */
export function toStdioServer(
  config: Config,
  { baseUrl, extraArgs = [] }: { baseUrl: string; extraArgs?: readonly string[] },
): StdioServer {
  const { command, args } = findSelfCommand();
  const isDefault = baseUrl === defaultBaseUrl;
  return {
    command,
    args: [...args, "mcp", "serve", ...extraArgs],
    env: { HUB_DATA_DIR: config.dataDir, ...(!isDefault && { HUB_BASE_URL: baseUrl }) },
  };
}
