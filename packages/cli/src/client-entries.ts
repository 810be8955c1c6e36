import { homedir } from "node:os";
import { join } from "node:path";

/** How a client starts the hub. All paths are absolute, so that it works from any folder. */
export type StdioServer = {
  command: string;
  args: readonly string[];
  /** Only to run from source. Some clients ignore it. */
  cwd?: string;
  env: Readonly<Record<string, string>>;
};

/** An entry for a client's configuration file. */
export type ClientEntry = { client: string; file: string; text: string };

/** Returns one entry for each client that starts stdio servers itself. */
export function toClientEntries(
  name: string,
  server: StdioServer,
  env: Readonly<Record<string, string | undefined>>,
): ClientEntry[] {
  const { command, args, env: variables } = server;
  const plain = toJson({ mcpServers: { [name]: server } });
  const home = env.HOME || env.USERPROFILE || homedir();
  return [
    { client: "Claude Desktop", file: findClaudeDesktopFile(home, env), text: plain },
    { client: "Cursor", file: join(home, ".cursor", "mcp.json"), text: plain },
    { client: "Gemini CLI", file: join(home, ".gemini", "settings.json"), text: plain },
    { client: "Codex", file: join(home, ".codex", "config.toml"), text: toToml(name, server) },
    {
      client: "Claude Code",
      file: join(home, ".claude.json"),
      text: toJson({ mcpServers: { [name]: { type: "stdio", ...server } } }),
    },
    {
      client: "opencode",
      file: join(home, ".config", "opencode", "opencode.json"),
      text: toJson({
        mcp: { [name]: { type: "local", command: [command, ...args], environment: variables } },
      }),
    },
  ];
}

function findClaudeDesktopFile(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const path = ["Claude", "claude_desktop_config.json"];
  if (platform === "darwin") return join(home, "Library", "Application Support", ...path);
  if (platform === "win32") return join(env.APPDATA || join(home, "AppData", "Roaming"), ...path);
  return join(home, ".config", ...path);
}

function toToml(name: string, { command, args, env }: StdioServer): string {
  // JSON strings and arrays of strings are valid TOML.
  const variables = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [
    `[mcp_servers.${name}]`,
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    "",
    `[mcp_servers.${name}.env]`,
    ...variables,
  ].join("\n");
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
