import type { Config } from "@hub/server/config.ts";
import type { StdioServer } from "./client-entries.ts";
import { findSelfCommand } from "./self-command.ts";

/**
 * How an MCP client starts this hub on this data folder. A key or any other secret of the
 * environment is not in it: it would end up in a file of the client's.
 */
export function toStdioServer(config: Config, extraArgs: readonly string[] = []): StdioServer {
  const { command, args } = findSelfCommand();
  return {
    command,
    args: [...args, "mcp", "serve", ...extraArgs],
    env: { HUB_DATA_DIR: config.dataDir },
  };
}
