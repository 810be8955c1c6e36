import type { Config } from "@hub/server/config.ts";
import type { StdioServer } from "./client-entries.ts";
import { findSelfCommand } from "./self-command.ts";

const defaultBaseUrl = "http://localhost:7420";

/**
 * Returns the command by which an MCP client starts this hub on this data folder. Secrets of the
 * environment are left out, because they would end up in the client's file. The base URL is
 * included, so that links to the hub's pages work.
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
