import type { Client } from "../client-definition.ts";
import { type Machine, readFolder } from "../machine.ts";

/** https://developers.openai.com/codex/mcp */
export const codex: Client = {
  id: "codex",
  title: "Codex",
  format: "toml",
  container: "mcp_servers",
  isStrictJson: false,
  listFiles: (machine) => [machine.join(findCodexFolder(machine), "config.toml")],
  listTraces: (machine) => [findCodexFolder(machine)],
  commands: ["codex"],
  toStdioEntry: (server) => ({ ...server }),
  // `bearer_token_env_var` names a variable, which the client's environment would need.
  toHttpEntry: ({ url, headers }) => ({ url, http_headers: headers }),
  nextStep: "Start Codex again.",
};

function findCodexFolder(machine: Machine): string {
  return readFolder(machine, "CODEX_HOME", machine.join(machine.home, ".codex"));
}
