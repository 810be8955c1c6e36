import type { Client } from "../client-definition.ts";
import { findXdgConfigFolder, type Machine } from "../machine.ts";

/** https://opencode.ai/docs/mcp-servers */
export const opencode: Client = {
  id: "opencode",
  title: "opencode",
  format: "json",
  container: "mcp",
  isStrictJson: false,
  listFiles: (machine) => {
    const folder = findFolder(machine);
    return [machine.join(folder, "opencode.json"), machine.join(folder, "opencode.jsonc")];
  },
  listTraces: (machine) => [findFolder(machine)],
  commands: ["opencode"],
  toStdioEntry: ({ command, args, env, ...rest }) => ({
    type: "local",
    command: [command, ...args],
    environment: env,
    ...rest,
  }),
  // Without `oauth: false`, a token that has ended starts a login in the browser.
  toHttpEntry: ({ url, headers }) => ({ type: "remote", url, headers, oauth: false }),
  nextStep: "Start opencode again.",
};

function findFolder(machine: Machine): string {
  return machine.join(findXdgConfigFolder(machine), "opencode");
}
