import type { Client } from "../client-definition.ts";
import { type Machine, readFolder } from "../machine.ts";

/** https://geminicli.com/docs/tools/mcp-server */
export const geminiCli: Client = {
  id: "gemini-cli",
  title: "Gemini CLI",
  format: "json",
  container: "mcpServers",
  isStrictJson: false,
  listFiles: (machine) => [machine.join(findGeminiFolder(machine), "settings.json")],
  listTraces: (machine) => [findGeminiFolder(machine)],
  commands: ["gemini"],
  toStdioEntry: (server) => ({ ...server }),
  toHttpEntry: ({ url, headers }) => ({ httpUrl: url, headers }),
  nextStep:
    "Start Gemini CLI again in a folder that you trust: it starts no servers in other folders.",
};

/** The variable replaces the home folder, not the folder of the settings. */
function findGeminiFolder(machine: Machine): string {
  return machine.join(readFolder(machine, "GEMINI_CLI_HOME", machine.home), ".gemini");
}
