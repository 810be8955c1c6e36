import {
  findPlatformPackage,
  type InstalledClient,
  isAvailable,
  readUntil,
  runClient,
  spawnClient,
} from "./installed-client.ts";
import { claudeCodeModel } from "./models/claude-code-model.ts";

/** The program itself: the main package's script would end without it. */
const script = `@anthropic-ai/${findPlatformPackage("@anthropic-ai", /^claude-code-/)}/claude`;
const env = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  // Nothing answers there, and nothing needs to: the tools are listed before the first question.
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  ANTHROPIC_API_KEY: "none",
  // A busy machine starts the servers slowly, and the tools of those that are late are not listed.
  MCP_TIMEOUT: "60000",
  MCP_CONNECT_TIMEOUT_MS: "60000",
  MCP_CONNECTION_NONBLOCKING: "0",
  // All tools are in each question, and none is to be searched for first.
  ENABLE_TOOL_SEARCH: "false",
};

export const isClaudeCodeAvailable = isAvailable(script);

/** The end of a run without a person: what it was not allowed to do. */
type RunEnd = { permission_denials: { tool_name: string }[] };

type ClaudeCode = InstalledClient & {
  /** Asks a model at this address one question, and lets these tools run without asking a person. */
  runAllowed(home: string, modelUrl: string, allowed: readonly string[]): Promise<RunEnd>;
};

export const claudeCode: ClaudeCode = {
  target: "claude-code",
  file: ".claude.json",
  content: '{\n\t"numStartups": 3,\n\t"hasCompletedOnboarding": true\n}\n',

  async listServers(home) {
    const { stdout } = await runClient(script, ["mcp", "list"], home, env);
    return [...stdout.matchAll(/^([\w-]+): .* - (.*)$/gm)].map(([, name = "", status = ""]) => ({
      name,
      isConnected: status.endsWith("Connected"),
    }));
  },

  async listTools(home) {
    const args = ["-p", "hello", "--output-format", "stream-json", "--verbose"];
    await using child = spawnClient(script, args, home, env);
    const tools = await readUntil(child.stdout, (line) => {
      const message = JSON.parse(line);
      return message.subtype === "init" ? (message.tools as string[]) : null;
    });
    // A name is `mcp__SERVER__TOOL`.
    const names = (tools ?? []).map((tool) => tool.split("__")).filter(([kind]) => kind === "mcp");
    const servers = new Set(names.map(([, server = ""]) => server));
    const listTools = (server: string) =>
      names.flatMap(([, of, tool = ""]) => (of === server ? [tool] : []));
    return Object.fromEntries([...servers].map((server) => [server, listTools(server)]));
  },

  model: claudeCodeModel,
  run: (home, modelUrl) => ask(home, modelUrl, ["mcp__hub__hub_execute"]),

  async runAllowed(home, modelUrl, allowed) {
    const { stdout, stderr } = await ask(home, modelUrl, allowed);
    if (!stdout.startsWith("{")) throw new Error(`${stdout}\n${stderr}`);
    return JSON.parse(stdout) as RunEnd;
  },
};

function ask(home: string, modelUrl: string, allowed: readonly string[]) {
  const args = ["-p", "go", "--output-format", "json", "--allowedTools", allowed.join(",")];
  return runClient(script, args, home, { ...env, ANTHROPIC_BASE_URL: modelUrl });
}
