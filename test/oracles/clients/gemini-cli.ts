import { type InstalledClient, isAvailable, runClient } from "./installed-client.ts";

const script = "@google/gemini-cli/bundle/gemini.js";

export const isGeminiCliAvailable = isAvailable(script);

export const geminiCli: InstalledClient = {
  target: "gemini-cli",
  file: ".gemini/settings.json",
  content: '{\r\n\t// mine\r\n\t"ui": {"theme": "Default"} // by hand\r\n}\r\n',

  async listServers(home) {
    // Without trust in the folder, the client starts no servers.
    const env = { GEMINI_CLI_TRUST_WORKSPACE: "true" };
    // It prints the list to standard error, with its warnings.
    const { stderr } = await runClient(script, ["mcp", "list"], home, env);
    return [...stderr.matchAll(/^\S+ ([\w-]+): .* - (\w+)$/gm)].map(([, name = "", status]) => ({
      name,
      isConnected: status === "Connected",
    }));
  },

  listTools: null,
};
