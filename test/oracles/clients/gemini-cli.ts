import { type InstalledClient, isAvailable, runClient } from "./installed-client.ts";
import { geminiCliModel } from "./models/gemini-cli-model.ts";

const script = "@google/gemini-cli/bundle/gemini.js";

// Without trust in the folder, the client starts no servers.
const env = { GEMINI_CLI_TRUST_WORKSPACE: "true" };

export const isGeminiCliAvailable = isAvailable(script);

export const geminiCli: InstalledClient = {
  target: "gemini-cli",
  file: ".gemini/settings.json",
  content: [
    "{",
    "\t// mine",
    '\t"ui": {"theme": "Default"}, // by hand',
    '\t"security": {"auth": {"selectedType": "gemini-api-key"}}',
    "}",
    "",
  ].join("\r\n"),

  async listServers(home) {
    // It prints the list to standard error, with its warnings.
    const { stderr } = await runClient(script, ["mcp", "list"], home, env);
    return [...stderr.matchAll(/^\S+ ([\w-]+): .* - (\w+)$/gm)].map(([, name = "", status]) => ({
      name,
      isConnected: status === "Connected",
    }));
  },

  listTools: null,

  model: geminiCliModel,

  run(home, modelUrl) {
    const model = { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: modelUrl };
    // With a named model it asks no other one which to use.
    const args = ["-p", "go", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"];
    return runClient(script, args, home, { ...env, ...model });
  },
};
