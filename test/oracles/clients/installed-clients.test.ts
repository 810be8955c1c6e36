/** Released clients read what `hub mcp install` wrote, connect to the hub, and find its tools. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createDataFolder, type DataFolder } from "../../support/data-folder.ts";
import { type RunningHub, startHub } from "../../support/start-hub.ts";
import { claudeCode, isClaudeCodeAvailable } from "./claude-code.ts";
import { codex, isCodexAvailable } from "./codex.ts";
import { geminiCli, isGeminiCliAvailable } from "./gemini-cli.ts";
import { isOpencodeAvailable, opencode } from "./opencode.ts";

setDefaultTimeout(120_000);

const metaTools = [
  "hub_decrypt",
  "hub_encrypt",
  "hub_execute",
  "hub_get",
  "hub_info",
  "hub_list",
  "hub_read",
  "hub_search",
];

const owned = new AsyncDisposableStack();
let hub: RunningHub;
beforeAll(async () => {
  hub = owned.use(await startHub());
});
afterAll(() => owned.disposeAsync());

describe.each([
  ["Claude Code", claudeCode, isClaudeCodeAvailable],
  ["Codex", codex, isCodexAvailable],
  ["Gemini CLI", geminiCli, isGeminiCliAvailable],
  ["opencode", opencode, isOpencodeAvailable],
] as const)("%s", (_, client, isAvailable) => {
  let home: DataFolder;
  beforeAll(async () => {
    home = owned.use(await createDataFolder());
    const file = join(home.path, client.file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, client.content);
    await mcp("install", "--mode", "dev");
    await mcp("install", "--name", "hub-http", "--http", "--user", "admin@localhost");
  });

  const mcp = async (verb: string, ...args: string[]) => {
    const command = ["mcp", verb, "--client", client.target, ...args];
    // In a process of its own, because the client is to start the program that installs the entry.
    const result = await hub.cliAlone(command, { env: { HOME: home.path } });
    expect({ ...result, exitCode: 0 }).toEqual(result);
  };

  test.skipIf(!isAvailable)("The client connects to the hub over stdio and over HTTP", async () => {
    const servers = await client.listServers(home.path);
    expect(servers.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "hub", isConnected: true },
      { name: "hub-http", isConnected: true },
    ]);
  });

  const { listTools } = client;
  if (listTools !== null) {
    test.skipIf(!isAvailable)("The client finds the eight meta-tools of both", async () => {
      const tools = await listTools(home.path);
      expect(tools.hub?.toSorted()).toEqual(metaTools);
      expect(tools["hub-http"]?.toSorted()).toEqual(metaTools);
    });
  }

  test.skipIf(!isAvailable)("After the removal of both, the client finds no server", async () => {
    await mcp("uninstall");
    await mcp("uninstall", "--name", "hub-http");
    expect(await client.listServers(home.path)).toEqual([]);
  });
});
