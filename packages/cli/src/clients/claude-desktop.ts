import type { Client } from "./client.ts";
import { findAppFolder } from "./machine.ts";

/** https://modelcontextprotocol.io/docs/develop/connect-local-servers */
export const claudeDesktop: Client = {
  id: "claude-desktop",
  title: "Claude Desktop",
  format: "json",
  container: "mcpServers",
  isStrictJson: true,
  listFiles: (machine) => [
    machine.join(findAppFolder(machine), "Claude", "claude_desktop_config.json"),
  ],
  listTraces: (machine) => [
    machine.join(findAppFolder(machine), "Claude"),
    ...(machine.platform === "darwin" ? ["/Applications/Claude.app"] : []),
  ],
  commands: ["claude-desktop"],
  toStdioEntry: (server) => ({ ...server }),
  toHttpEntry: null,
  nextStep: "Quit Claude Desktop completely and start it again.",
};
