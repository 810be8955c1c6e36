import { describe, expect, test } from "bun:test";
import { readServersFile } from "./read-servers-file.ts";
import { toRow } from "./to-row.ts";

const read = (file: string, text: string) => readServersFile(file, text).map(toRow);
const readEntry = (entry: unknown) => toRow({ name: "one", entry });

describe("files of clients", () => {
  test("Claude Desktop: a command with arguments and variables", () => {
    const entry = { command: "npx", args: ["-y", "a b"], env: { KEY: "s3cret" } };
    const [row] = read("c.json", JSON.stringify({ mcpServers: { files: entry } }));
    expect(row).toEqual({
      label: "files",
      values: {
        transport: "stdio",
        command: "npx",
        args: '[{"value":"-y"},{"value":"a b"}]',
        env: '{"KEY":"s3cret"}',
      },
      target: 'npx -y "a b"',
      startsProgram: true,
      secrets: ["KEY"],
      missing: [],
    });
  });

  test("VS Code: comments, and inputs that are named as missing", () => {
    const text = `// Servers.
{ "servers": { "a": { "type": "http", "url": "https://a.test/mcp?key=s3cret",
  "headers": { "X-Key": "k", "X-Asked": "Key \${input:key}" }, }, }, }`;
    expect(read("mcp.json", text)).toEqual([
      {
        label: "a",
        values: {
          transport: "http",
          url: "https://a.test/mcp?key=s3cret",
          auth_mode: "headers",
          headers: '{"X-Key":"k"}',
        },
        target: "https://a.test/mcp?…",
        startsProgram: false,
        secrets: ["X-Key"],
        missing: [`X-Asked (\${input:key})`],
      },
    ]);
  });

  test("Codex: TOML, with the name of a variable that has the token", () => {
    const text = `model = "x"
[mcp_servers.remote]
url = "https://a.test/mcp"
bearer_token_env_var = "TOKEN"
[mcp_servers.local]
command = "server"
cwd = "/srv"
[mcp_servers.local.env]
A = "1"`;
    expect(read("config.toml", text)).toMatchObject([
      { label: "remote", values: { transport: "http", auth_mode: "bearer" }, missing: ["TOKEN"] },
      { label: "local", values: { transport: "stdio", folder: "/srv", env: '{"A":"1"}' } },
    ]);
  });

  test.each([
    ["c.json", '{"mcpServers": {"a": "s3cret', "c.json is not valid JSON (line 1)."],
    ["c.toml", 'a = "s3cret', "c.toml is not valid TOML (line 1)."],
    ["c.json", '{"a": 1}', "c.json has no list of MCP servers"],
    ["c.json", `{"a": ${"[".repeat(100_000)}`, "c.json is n"],
  ])("%#: a file that cannot be used is refused, without its text", (file, text, message) => {
    const find = () => readServersFile(file, text);
    expect(find).toThrow(message);
    expect(find).not.toThrow("s3cret");
  });
});

describe("entries", () => {
  test.each([
    [{ url: "https://a.test/sse" }, { transport: "sse" }],
    [{ type: "http", url: "https://a.test/sse" }, { transport: "http" }],
    [{ httpUrl: "https://a.test/mcp" }, { transport: "http" }],
    [
      { url: "https://a.test", headers: { authorization: "Bearer t" } },
      { auth_mode: "bearer", token: "t" },
    ],
    [
      { url: "https://a.test", headers: { Authorization: `Bearer \${T}` } },
      { auth_mode: "bearer" },
    ],
  ])("%#: addresses and their authentication", (entry, values) => {
    expect(readEntry(entry)).toMatchObject({ values });
  });

  test.each([
    ["text", "It is not an object."],
    [{ command: "x", disabled: true }, "It is disabled in the file."],
    [{ args: [] }, "It has neither a command nor a url."],
    [{ command: "x", args: "y" }, "Its args are not a list of texts."],
    [{ command: `\${workspaceFolder}/x` }, `Its command has \${workspaceFolder}`],
    [{ url: "file:///etc" }, "Its url is not valid."],
    [{ url: "https://u:p@a.test" }, "Its url has a user name or a password."],
    [{ command: "hub", args: ["mcp", "serve"], env: { HUB_DATA_DIR: "/x" } }, "It is a hub."],
  ])("%#: entries that are skipped", (entry, reason) => {
    expect(readEntry(entry)).toEqual({ label: "one", reason: expect.stringContaining(reason) });
  });

  test("The default of a placeholder is not shown", () => {
    const row = readEntry({ command: "x", env: { A: `\${KEY:-s3cret}` } });
    expect(row).toMatchObject({ values: { command: "x" }, missing: [`A (\${KEY})`] });
    expect(JSON.stringify(row)).not.toContain("s3cret");
  });
});
