import type { Client } from "../client-definition.ts";
import { findAppFolder, type Machine, readFolder } from "../machine.ts";

/** https://code.visualstudio.com/docs/agents/reference/mcp-configuration */
export const vscode: Client = {
  id: "vscode",
  title: "VS Code",
  format: "json",
  container: "servers",
  isStrictJson: false,
  listFiles: (machine) => [machine.join(findUserFolder(machine), "User", "mcp.json")],
  listTraces: (machine) => [
    findUserFolder(machine),
    ...(machine.platform === "darwin" ? ["/Applications/Visual Studio Code.app"] : []),
  ],
  commands: ["code"],
  toStdioEntry: (server) => ({ type: "stdio", ...server }),
  toHttpEntry: ({ url, headers }) => ({ type: "http", url, headers }),
  nextStep: 'Run "MCP: List Servers" in VS Code and start the server.',
};

/**
 * A portable VS Code keeps its files beside the program and sets the first variable in its terminal.
 * The second replaces the folder that all desktop programs share.
 */
function findUserFolder(machine: Machine): string {
  const portable = readFolder(machine, "VSCODE_PORTABLE", "");
  return portable === ""
    ? machine.join(readFolder(machine, "VSCODE_APPDATA", findAppFolder(machine)), "Code")
    : machine.join(portable, "user-data");
}
