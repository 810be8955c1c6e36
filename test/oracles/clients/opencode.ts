import { type InstalledClient, isAvailable, runClient } from "./installed-client.ts";

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
};
