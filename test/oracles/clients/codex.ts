import {
  findPlatformPackage,
  type InstalledClient,
  isAvailable,
  readUntil,
  runClient,
  spawnClient,
} from "./installed-client.ts";
import { codexModel } from "./models/codex-model.ts";

const script = "@openai/codex/bin/codex.js";

export const isCodexAvailable = isAvailable(`@openai/${findPlatformPackage("@openai", /^codex-/)}`);

type ServerStatus = { name: string; tools: Record<string, unknown> };

export const codex: InstalledClient = {
  target: "codex",
  file: ".codex/config.toml",
  content: '# mine\nmodel = "none" # no model\n\n[tui]\nnotifications = true\n',

  /** The client connects only when it works; this list shows that it can read the entries. */
  async listServers(home) {
    const { stdout } = await runClient(script, ["mcp", "list", "--json"], home);
    const servers: Array<{ name: string; enabled: boolean }> = JSON.parse(stdout);
    return servers.map(({ name, enabled }) => ({ name, isConnected: enabled }));
  },

  /** Its editor extensions ask the same question. */
  async listTools(home) {
    await using child = spawnClient(script, ["app-server"], home);
    const send = (message: unknown) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      child.stdin.flush();
    };
    const clientInfo = { name: "hub-test", title: null, version: "1.0.0" };
    send({ id: 1, method: "initialize", params: { clientInfo } });
    send({ method: "initialized" });
    send({ id: 2, method: "mcpServerStatus/list", params: {} });
    const servers = await readUntil(child.stdout, (line) => {
      const message = JSON.parse(line);
      return message.id === 2 ? (message.result.data as ServerStatus[]) : null;
    });
    return Object.fromEntries(servers?.map(({ name, tools }) => [name, Object.keys(tools)]) ?? []);
  },

  model: codexModel,

  run(home, modelUrl) {
    const provider = `{name="Stub",base_url="${modelUrl}/v1",wire_api="responses"}`;
    const settings = [
      `model_providers.stub=${provider}`,
      "model_provider=stub",
      // It starts without a server that is slow, as on a busy machine.
      "mcp_servers.hub.required=true",
      "mcp_servers.hub.startup_timeout_sec=60",
    ].flatMap((setting) => ["-c", setting]);
    // The calls are of one server, whose own questions are the subject.
    const modes = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
    return runClient(script, ["exec", ...settings, ...modes, "go"], home);
  },
};
