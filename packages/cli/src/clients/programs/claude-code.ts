import type { Client } from "../client-definition.ts";
import { readFolder } from "../machine.ts";

/** https://code.claude.com/docs/en/mcp */
export const claudeCode: Client = {
  id: "claude-code",
  title: "Claude Code",
  format: "json",
  container: "mcpServers",
  isStrictJson: true,
  listFiles: (machine) => [
    machine.join(readFolder(machine, "CLAUDE_CONFIG_DIR", machine.home), ".claude.json"),
  ],
  listTraces: (machine) => {
    const folder = machine.join(machine.home, ".claude");
    return [
      readFolder(machine, "CLAUDE_CONFIG_DIR", folder),
      machine.join(machine.home, ".claude.json"),
    ];
  },
  commands: ["claude"],
  toStdioEntry: (server) => ({ type: "stdio", ...server }),
  toHttpEntry: ({ url, headers }) => ({ type: "http", url, headers }),
  nextStep: "Start a new session of Claude Code.",
};
