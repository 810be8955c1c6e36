// biome-ignore-all lint/suspicious/noTemplateCurlyInString: rows name secrets by such texts.
import { describe, expect, test } from "bun:test";
import { readServersFile } from "./read-servers-file.ts";
import { toRow } from "./to-row.ts";

const read = async (file: string, text: string) => (await readServersFile(file, text)).map(toRow);
const readEntry = (entry: unknown) => toRow({ name: "one", folder: null, entry });

describe("files of clients", () => {
  test("Claude Desktop: a command with arguments and variables", async () => {
    const entry = { command: "npx", args: ["-y", "a b"], env: { KEY: "s3cret" } };
    const [row] = await read("c.json", JSON.stringify({ mcpServers: { files: entry } }));
    expect(row).toEqual({
      label: "files",
      values: {
        transport: "stdio",
        command: "npx",
        args: '[{"value":"-y"},{"value":"a b"}]',
        env: '{"KEY":"s3cret"}',
      },
      transport: "stdio",
      target: 'npx -y "a b"',
      startsProgram: true,
      secrets: ["KEY"],
      missing: [],
    });
  });

  test("VS Code: comments, and inputs that are named as missing", async () => {
    const text = `// Servers.
{ "servers": { "a": { "type": "http", "url": "https://a.test/mcp?key=s3cret",
  "headers": { "X-Key": "k", "X-Asked": "Key \${input:key}" }, }, }, }`;
    expect(await read("mcp.json", text)).toEqual([
      {
        label: "a",
        values: {
          transport: "http",
          url: "https://a.test/mcp?key=${KEY}",
          auth_mode: "headers",
          headers: '{"X-Key":"k"}',
          secrets: '{"KEY":"s3cret"}',
        },
        transport: "http",
        target: "https://a.test/mcp?key=${KEY}",
        startsProgram: false,
        secrets: ["X-Key", "KEY of url"],
        missing: [`X-Asked (\${input:key})`],
      },
    ]);
  });

  test("Codex: TOML, with the name of a variable that has the token", async () => {
    const text = `model = "x"
[mcp_servers.remote]
url = "https://a.test/mcp"
bearer_token_env_var = "TOKEN"
[mcp_servers.local]
command = "server"
cwd = "/srv"
[mcp_servers.local.env]
A = "1"`;
    expect(await read("config.toml", text)).toMatchObject([
      { label: "remote", values: { transport: "http", auth_mode: "bearer" }, missing: ["TOKEN"] },
      { label: "local", values: { transport: "stdio", folder: "/srv", env: '{"A":"1"}' } },
    ]);
  });

  test("Claude Code: servers of all folders and of some, each once", async () => {
    const server = { command: "x" };
    const projects = {
      "/work/one": { mcpServers: { a: server, b: { url: "https://b.test/mcp" } }, history: [] },
      "/work/two": { mcpServers: { a: { ...server, args: ["2"] } } },
      "/work/none": {},
    };
    const text = JSON.stringify({ mcpServers: { a: server }, projects });
    const found = await readServersFile(".claude.json", text);
    expect(found.map(({ name, folder }) => [name, folder])).toEqual([
      ["a", null],
      ["b", "/work/one"],
      ["a", "/work/two"],
    ]);
    expect(found.map(toRow)).toMatchObject([
      { values: { command: "x" } },
      { target: "https://b.test/mcp" },
      { values: { args: '[{"value":"2"}]', folder: "/work/two" } },
    ]);
  });

  test("opencode, Zed and the settings of VS Code: their own forms of an entry", async () => {
    const opencode = {
      mcp: {
        local: { type: "local", command: ["npx", "-y"], environment: { A: "1", B: "{env:B}" } },
        remote: { type: "remote", url: "https://a.test/mcp", headers: { K: "{file:/k}" } },
        off: { type: "local", command: ["x"], enabled: false },
      },
    };
    expect(await read("opencode.json", JSON.stringify(opencode))).toMatchObject([
      { target: "npx -y", values: { env: '{"A":"1"}' }, missing: ["B ({env:B})"] },
      { target: "https://a.test/mcp", secrets: [], missing: ["K ({file:/k})"] },
      { reason: "It is disabled in the file." },
    ]);
    const zed = {
      context_servers: {
        old: { command: { path: "/bin/x", args: ["1"], env: { A: "1" } } },
        plain: { source: "custom", command: "y", args: [], env: { T: "$TOKEN" } },
        ext: { source: "extension", settings: {} },
      },
    };
    expect(await read("settings.json", JSON.stringify(zed))).toMatchObject([
      { target: "/bin/x 1", secrets: ["A"] },
      { target: "y", secrets: [], missing: ["T ($TOKEN)"] },
      { reason: "It is an extension of the client." },
    ]);
    const settings = { mcp: { inputs: [], servers: { a: { url: "https://a.test/mcp" } } } };
    expect(await read("settings.json", JSON.stringify(settings))).toHaveLength(1);
    const flat = { "mcp.servers": { a: { url: "https://a.test/mcp" } } };
    expect(await read("settings.json", JSON.stringify(flat))).toHaveLength(1);
  });

  test("Names of a prototype are names like others", async () => {
    const [row] = await read(
      "c.json",
      '{"mcpServers":{"__proto__":{"command":"x","env":{"__proto__":"1","constructor":"2"}}}}',
    );
    expect(row).toMatchObject({ label: "__proto__", secrets: ["__proto__", "constructor"] });
    const none = readServersFile("c.json", '{"__proto__":{"mcpServers":{}}}');
    expect(await none.catch((thrown) => thrown.message)).toContain("has no list of MCP servers");
  });

  test("Hostile files are refused with a sentence", async () => {
    const many = (count: number) => {
      const servers = Array.from({ length: count }, (_, at) => [`s${at}`, { command: "x" }]);
      return JSON.stringify({ mcpServers: Object.fromEntries(servers) });
    };
    const cases: [file: string, text: string, message: string][] = [
      ["c.json", many(10_000), "more than 100 servers"],
      ["c.json", `// Comment\n${" ".repeat(1024 * 1024)}{}`, "at most 1 MiB"],
      ["c.json", " ".repeat(10 * 1024 * 1024 + 1), "larger than 10 MiB"],
      ["c.toml", " ".repeat(256 * 1024 + 1), "larger than 256 KiB"],
      ["c.json", `{"mcpServers":${'{"a":'.repeat(200_000)}`, "c.json is n"],
      ["c.toml", `a = ${"[".repeat(100_000)}`, "c.toml is n"],
    ];
    for (const [file, text, message] of cases) {
      const refused = await readServersFile(file, text).catch((thrown) => thrown.message);
      expect(refused).toContain(message);
    }
    expect(await readServersFile("c.json", many(100))).toHaveLength(100);
  });

  test.each([
    ["c.json", '{"mcpServers": {"a": "s3cret', "c.json is not valid JSON (line 1)."],
    ["c.toml", 'a = "s3cret', "c.toml is not valid TOML (line 1)."],
    ["c.json", '{"a": 1}', "c.json has no list of MCP servers"],
    ["c.json", `{"a": ${"[".repeat(100_000)}`, "c.json is n"],
  ])("%#: a file that cannot be used is refused, without its text", async (file, text, message) => {
    const { message: found } = await readServersFile(file, text).catch((thrown) => Object(thrown));
    expect(found).toStartWith(message);
    expect(found).not.toContain("s3cret");
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
    [{ url: "https://a.test", headers: { K: `\${input:k}` } }, { auth_mode: "headers" }],
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
    [{ url: "https://u:p@a.test", headers: { Authorization: "x" } }, "Its url has a user name"],
    [{ command: "x", args: [`\${workspaceFolder}/x`] }, `Its args has \${workspaceFolder}`],
    [{ url: `https://\${HOST}/mcp` }, "Its url"],
    [{ command: "hub", args: ["mcp", "serve"], env: { HUB_DATA_DIR: "/x" } }, "It is a hub."],
  ])("%#: entries that are skipped", (entry, reason) => {
    expect(readEntry(entry)).toEqual({ label: "one", reason: expect.stringContaining(reason) });
  });

  test("Secrets in arguments and in the address are named, and their values become a secret", () => {
    const args = ["--api-key", "s3cret-1", "--token=s3cret-2", "https://a.test"];
    const row = readEntry({ command: "x", args });
    expect(row).toMatchObject({
      target: 'x --api-key "${API_KEY}" "--token=${TOKEN}" https://a.test',
      secrets: ["API_KEY of args", "TOKEN of args"],
      values: { secrets: '{"API_KEY":"s3cret-1","TOKEN":"s3cret-2"}' },
    });
    expect(Object(row).values.args).not.toContain("s3cret");
    const remote = readEntry({ url: "https://ada:s3cret%20x@a.test/mcp?v=1" });
    expect(remote).toMatchObject({
      target: "https://a.test/mcp?v=1",
      secrets: ["Authorization"],
      values: {
        auth_mode: "headers",
        headers: `{"Authorization":"Basic ${btoa("ada:s3cret x")}"}`,
      },
    });
  });

  test("What a client fills in is named in arguments and in the address", () => {
    const args = ["--token", `\${input:my-key}`, `\${env:HOST}`, `\${KEY:-s3cret}`];
    const row = readEntry({ command: "x", args });
    expect(row).toMatchObject({
      target: 'x --token "${MY_KEY}" "${HOST}" "${KEY}"',
      secrets: [],
      missing: [
        "MY_KEY of args (${input:my-key})",
        "HOST of args (${env:HOST})",
        "KEY of args (${KEY})",
      ],
      values: { secrets: '{"MY_KEY":"","HOST":"","KEY":""}' },
    });
    const remote = readEntry({ url: `https://a.test/mcp?k=\${input:key}` });
    expect(remote).toMatchObject({ target: "https://a.test/mcp?k=${KEY}" });
  });

  test("The default of a placeholder is not shown", () => {
    const row = readEntry({ command: "x", env: { A: `\${KEY:-s3cret}` } });
    expect(row).toMatchObject({ values: { command: "x" }, missing: [`A (\${KEY})`] });
    expect(JSON.stringify(row)).not.toContain("s3cret");
  });
});
