/** Where each client keeps its file, and how its entry is written. */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { allClients, mainClients } from "./all-clients.ts";
import type { Client, ClientId } from "./client-definition.ts";
import { printEntry } from "./config-files/entry-edits.ts";
import { findClientFile, isInstalled } from "./find-client-file.ts";
import { toMachine } from "./machine.ts";

const find = (id: ClientId): Client => {
  const client = allClients.find((one) => one.id === id);
  if (client === undefined) throw new Error(`There is no client ${id}.`);
  return client;
};

test("The five clients come first, and the first is the default", () => {
  expect(mainClients.map(({ id }) => id)).toEqual([
    "claude-desktop",
    "cursor",
    "gemini-cli",
    "codex",
    "claude-code",
  ]);
  expect(allClients.slice(0, 5)).toEqual([...mainClients]);
});

const linux = toMachine({ HOME: "/home/ada" }, "linux");
const macos = toMachine({ HOME: "/Users/ada" }, "darwin");
const windows = toMachine(
  { USERPROFILE: "C:\\Users\\ada", APPDATA: "C:\\Users\\ada\\AppData\\Roaming" },
  "win32",
);

test.each([
  [
    "claude-desktop",
    "/home/ada/.config/Claude/claude_desktop_config.json",
    "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
  ],
  [
    "cursor",
    "/home/ada/.cursor/mcp.json",
    "/Users/ada/.cursor/mcp.json",
    "C:\\Users\\ada\\.cursor\\mcp.json",
  ],
  [
    "gemini-cli",
    "/home/ada/.gemini/settings.json",
    "/Users/ada/.gemini/settings.json",
    "C:\\Users\\ada\\.gemini\\settings.json",
  ],
  [
    "codex",
    "/home/ada/.codex/config.toml",
    "/Users/ada/.codex/config.toml",
    "C:\\Users\\ada\\.codex\\config.toml",
  ],
  [
    "claude-code",
    "/home/ada/.claude.json",
    "/Users/ada/.claude.json",
    "C:\\Users\\ada\\.claude.json",
  ],
  [
    "vscode",
    "/home/ada/.config/Code/User/mcp.json",
    "/Users/ada/Library/Application Support/Code/User/mcp.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
  ],
  [
    "opencode",
    "/home/ada/.config/opencode/opencode.json",
    "/Users/ada/.config/opencode/opencode.json",
    "C:\\Users\\ada\\.config\\opencode\\opencode.json",
  ],
  [
    "zed",
    "/home/ada/.config/zed/settings.json",
    "/Users/ada/.config/zed/settings.json",
    "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
  ],
] as const)("The file of %s lies in its usual place on Linux, macOS and Windows", (id, onLinux, onMacos, onWindows) => {
  const files = [linux, macos, windows].map((machine) => findClientFile(find(id), machine));
  expect(files).toEqual([onLinux, onMacos, onWindows]);
});

test.each([
  ["claude-desktop", "XDG_CONFIG_HOME", "/x/Claude/claude_desktop_config.json"],
  ["gemini-cli", "GEMINI_CLI_HOME", "/x/.gemini/settings.json"],
  ["codex", "CODEX_HOME", "/x/config.toml"],
  ["claude-code", "CLAUDE_CONFIG_DIR", "/x/.claude.json"],
  ["vscode", "XDG_CONFIG_HOME", "/x/Code/User/mcp.json"],
  ["vscode", "VSCODE_PORTABLE", "/x/user-data/User/mcp.json"],
  ["vscode", "VSCODE_APPDATA", "/x/Code/User/mcp.json"],
  ["opencode", "XDG_CONFIG_HOME", "/x/opencode/opencode.json"],
  ["zed", "XDG_CONFIG_HOME", "/x/zed/settings.json"],
] as const)("The file of %s moves with %s, if that is an absolute path", (id, variable, moved) => {
  const at = (value: string) =>
    findClientFile(find(id), toMachine({ HOME: "/home/ada", [variable]: value }, "linux"));
  expect(at("/x")).toBe(moved);
  expect(at("x")).toBe(findClientFile(find(id), linux));
  expect(at("")).toBe(findClientFile(find(id), linux));
});

test("On Windows without variables, the folders are below the home folder", () => {
  const machine = toMachine({ USERPROFILE: "D:\\ada" }, "win32");
  expect(findClientFile(find("zed"), machine)).toBe(
    "D:\\ada\\AppData\\Roaming\\Zed\\settings.json",
  );
});

test("Claude Desktop as a package of Windows reads the file in the package's folder only", () => {
  const packages = "C:\\Users\\ada\\AppData\\Local\\Packages";
  const list = (folder: string) => (folder === packages ? ["Other_x", "Claude_abc"] : []);
  expect(findClientFile(find("claude-desktop"), { ...windows, list })).toBe(
    `${packages}\\Claude_abc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`,
  );
});

const server = { command: "/bin/hub", args: ["mcp", "serve"], env: { HUB_DATA_DIR: "/data" } };
const http = { url: "http://localhost:7420/mcp", headers: { Authorization: "Bearer hub_pat_1" } };

test.each([
  ["claude-desktop", { mcpServers: { hub: server } }],
  ["cursor", { mcpServers: { hub: { type: "stdio", ...server } } }],
  ["gemini-cli", { mcpServers: { hub: server } }],
  ["codex", { mcp_servers: { hub: server } }],
  ["claude-code", { mcpServers: { hub: { type: "stdio", ...server } } }],
  ["vscode", { servers: { hub: { type: "stdio", ...server } } }],
  [
    "opencode",
    {
      mcp: {
        hub: {
          type: "local",
          command: ["/bin/hub", "mcp", "serve"],
          environment: { HUB_DATA_DIR: "/data" },
        },
      },
    },
  ],
  ["zed", { context_servers: { hub: server } }],
] as const)("%s gets the program as its documentation says", (id, expected) => {
  const client = find(id);
  expect(parse(client, printEntry(client, "hub", client.toStdioEntry(server)))).toEqual(expected);
});

test.each([
  ["claude-desktop", null],
  ["cursor", { mcpServers: { hub: http } }],
  ["gemini-cli", { mcpServers: { hub: { httpUrl: http.url, headers: http.headers } } }],
  ["codex", { mcp_servers: { hub: { url: http.url, http_headers: http.headers } } }],
  ["claude-code", { mcpServers: { hub: { type: "http", ...http } } }],
  ["vscode", { servers: { hub: { type: "http", ...http } } }],
  ["opencode", { mcp: { hub: { type: "remote", ...http, oauth: false } } }],
  ["zed", { context_servers: { hub: http } }],
] as const)("%s gets the address and the token as its documentation says", (id, expected) => {
  const client = find(id);
  const entry = client.toHttpEntry?.(http);
  expect(entry ? parse(client, printEntry(client, "hub", entry)) : null).toEqual(expected);
});

function parse({ format }: Client, text: string): unknown {
  return format === "toml" ? Bun.TOML.parse(text) : JSON.parse(text);
}

describe("what is on the machine", () => {
  test.each(
    allClients.map((client) => [client.title, client] as const),
  )("%s is installed if the folder of its file exists, and not in an empty home", (_, client) => {
    using home = makeHome();
    const machine = toMachine({ HOME: home.path, PATH: "" }, "linux");
    expect(isInstalled(client, machine)).toBe(false);
    const file = findClientFile(client, machine);
    mkdirSync(dirname(file), { recursive: true });
    if (client.id === "claude-code") writeFileSync(file, "{}");
    expect(isInstalled(client, machine)).toBe(true);
  });

  test("A client is installed if its folder exists or its command is on the PATH", () => {
    using home = makeHome();
    const codex = find("codex");
    const machine = toMachine({ HOME: home.path, PATH: join(home.path, "bin") }, "linux");
    expect(isInstalled(codex, machine)).toBe(false);
    mkdirSync(join(home.path, "bin"));
    writeFileSync(join(home.path, "bin/codex"), "#!/bin/sh\n", { mode: 0o755 });
    expect(isInstalled(codex, machine)).toBe(true);
    rmSync(join(home.path, "bin"), { recursive: true });
    mkdirSync(join(home.path, ".codex"));
    expect(isInstalled(codex, machine)).toBe(true);
  });

  test("opencode's file with comments is used if it is the one that exists", () => {
    using home = makeHome();
    const machine = toMachine({ HOME: home.path }, "linux");
    const folder = join(home.path, ".config/opencode");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "opencode.jsonc"), "{}");
    expect(findClientFile(find("opencode"), machine)).toBe(join(folder, "opencode.jsonc"));
    writeFileSync(join(folder, "opencode.json"), "{}");
    expect(findClientFile(find("opencode"), machine)).toBe(join(folder, "opencode.json"));
  });
});

function makeHome(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "hub-home-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
