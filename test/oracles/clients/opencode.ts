import { type InstalledClient, isAvailable, runClient } from "./installed-client.ts";
import { opencodeModel } from "./models/opencode-model.ts";

const platform = process.platform === "win32" ? "windows" : process.platform;
/**
 * The package of the platform. The main package names builds that a registry may lack, and then
 * its lock file cannot be installed.
 */
const script = `opencode-${platform}-${process.arch}/bin/opencode`;
const env = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };

export const isOpencodeAvailable = isAvailable(script);

export const opencode: InstalledClient = {
  target: "opencode",
  file: ".config/opencode/opencode.jsonc",
  content: '{\n  // mine\n  "share": "disabled",\n}\n',

  async listServers(home) {
    const { stdout } = await runClient(script, ["mcp", "list"], home, env);
    return [...stdout.matchAll(/^● +\S+ ([\w-]+) (\w+)/gmu)].map(([, name = "", status]) => ({
      name,
      isConnected: status === "connected",
    }));
  },

  listTools: null,

  model: opencodeModel,

  run(home, modelUrl) {
    const model = { name: "Stub", limit: { context: 100_000, output: 1000 } };
    const options = { baseURL: `${modelUrl}/v1`, apiKey: "none" };
    const stub = { npm: "@ai-sdk/openai-compatible", options, models: { stub: model } };
    const settings = { provider: { stub }, model: "stub/stub" };
    const content = { OPENCODE_CONFIG_CONTENT: JSON.stringify(settings) };
    return runClient(script, ["run", "go"], home, { ...env, ...content });
  },
};
