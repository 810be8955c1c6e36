import type { Client } from "../client-definition.ts";
import { findAppFolder, type Machine, readFolder } from "../machine.ts";

/** https://modelcontextprotocol.io/docs/develop/connect-local-servers */
export const claudeDesktop: Client = {
  id: "claude-desktop",
  title: "Claude Desktop",
  format: "json",
  container: "mcpServers",
  isStrictJson: true,
  listFiles: (machine) => {
    const [first, ...others] = listFolders(machine);
    const toFile = (folder: string) => machine.join(folder, "claude_desktop_config.json");
    return [toFile(first), ...others.map(toFile)];
  },
  listTraces: (machine) => [
    ...listFolders(machine),
    ...(machine.platform === "darwin" ? ["/Applications/Claude.app"] : []),
  ],
  commands: ["claude-desktop"],
  toStdioEntry: (server) => ({ ...server }),
  toHttpEntry: null,
  nextStep: "Quit Claude Desktop completely and start it again.",
};

/**
 * The folder of the client's data. On Windows, a program that is installed as a package has a folder
 * of its own instead, and does not see files that others write into the usual one:
 * https://github.com/anthropics/claude-code/issues/26073
 */
function listFolders(machine: Machine): [string, ...string[]] {
  const usual = machine.join(findAppFolder(machine), "Claude");
  if (machine.platform !== "win32") return [usual];
  const local = machine.join(machine.home, "AppData", "Local");
  const packages = machine.join(readFolder(machine, "LOCALAPPDATA", local), "Packages");
  const [first, ...others] = machine
    .list(packages)
    .filter((name) => /^Claude_/i.test(name))
    .map((name) => machine.join(packages, name, "LocalCache", "Roaming", "Claude"));
  return first === undefined ? [usual] : [first, ...others];
}
