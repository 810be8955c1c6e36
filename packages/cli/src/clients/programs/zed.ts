import type { Client } from "../client-definition.ts";
import { findAppFolder, findXdgConfigFolder, type Machine } from "../machine.ts";

/** https://zed.dev/docs/ai/mcp */
export const zed: Client = {
  id: "zed",
  title: "Zed",
  format: "json",
  container: "context_servers",
  isStrictJson: false,
  listFiles: (machine) => [machine.join(findFolder(machine), "settings.json")],
  listTraces: (machine) => [findFolder(machine)],
  commands: ["zed", "zeditor"],
  // Zed starts every server in the folder of the open project.
  toStdioEntry: ({ command, args, env }) => ({ command, args, env }),
  toHttpEntry: ({ url, headers }) => ({ url, headers }),
  nextStep: "Zed reads the entry at once. Its agent panel shows whether the server runs.",
};

/** Zed follows the XDG specification on Linux only. */
function findFolder(machine: Machine): string {
  const { platform, home, join } = machine;
  if (platform === "win32") return join(findAppFolder(machine), "Zed");
  if (platform === "darwin") return join(home, ".config", "zed");
  return join(findXdgConfigFolder(machine), "zed");
}
