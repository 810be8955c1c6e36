/** Protects: no answer for users contains a path of the hub's machine, whatever fails there. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { craftPlugin, writePluginFolder } from "@hub/server/plugins/testing/craft-plugin.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { type ApiHub, openApiHub } from "./api/open-api-hub.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: ApiHub;
let admin: Awaited<ReturnType<ApiHub["addUser"]>>;
let outside: string;
/** The text of each answer, with its request. */
const answers: Array<{ where: string; text: string }> = [];

beforeAll(async () => {
  outside = owned.use(await createDataFolder()).path;
  // On PostgreSQL, rows start no programs without the setting.
  const settings = { HUB_PLUGIN_CATALOG: join(outside, "plugins.json"), HUB_BRIDGE_STDIO: "1" };
  hub = owned.use(await openApiHub(settings));
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => owned.disposeAsync());

/** What is shown in place of a path of the hub. */
const hiddenPath = "(a path of the hub)";

/** Programs that fail in different ways before the handshake. */
const programs: Record<string, string> = {
  no_interpreter: "#!/no/such/interpreter\n",
  not_a_program: "neither a script nor a program",
  ends: "#!/bin/sh\nexit 3\n",
  names_its_place: '#!/bin/sh\necho "$0: cannot open $HOME/state.json" >&2\nexit 1\n',
  no_socket: '#!/bin/sh\necho "1|2|unix|$PLUGIN_UNIX_SOCKET_DIR/none.sock|grpc|"\nsleep 60\n',
};

/** A plugin that starts, and whose calls fail at a file in its home folder. */
const readsFile = `#!${process.execPath}
import { readFileSync } from "node:fs";
import { defineConnector, UpstreamError } from ${JSON.stringify(import.meta.resolve("@hub/connector"))};
import { serve } from ${JSON.stringify(import.meta.resolve("@hub/connector/plugin"))};
function read() {
  try {
    return readFileSync(process.env.HOME + "/state.json", "utf8");
  } catch (failure) {
    throw new UpstreamError(failure.message);
  }
}
const get = { name: "Get", description: "Gets.", run: read };
await serve(defineConnector({
  key: "reads_file",
  name: "reads_file",
  icon: "bug",
  tier: "plugin",
  description: "Fails.",
  config: {},
  operations: { get },
}));
`;

/** An MCP server that starts, and refuses each further request with the path of a file in its working folder. */
const namesFolder = `while read -r line; do
  case "$line" in *'"id":'*) ;; *) continue ;; esac
  id=\${line##*'"id":'}
  id=\${id%%,*}
  id=\${id%"}"}
  case "$line" in
    *'"initialize"'*) answer='"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"test","version":"1"}}' ;;
    *) answer="\\"error\\":{\\"code\\":-32000,\\"message\\":\\"cannot open $PWD/state.json\\"}" ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,%s}\\n' "$id" "$answer"
done`;

async function addRow(key: string, program = programs[key] ?? ""): Promise<string> {
  const operation = { Key: "get", Name: "Get", Description: "Gets.", Input: [] };
  const module = {
    Meta: { Key: key, Name: key, Description: "Fails.", Icon: "bug" },
    Configs: [],
    Operations: [{ Title: "All", Description: "", Ops: [operation] }],
    OAuth: null,
  };
  const manifest = { os_arch: [findHostPlatform()], module };
  const plugin = craftPlugin({ key, program, manifest });
  await hub.admin.plugins.install(await writePluginFolder(join(outside, key), plugin), {
    cwd: outside,
  });
  const { body } = await hub.request("POST", "/manager/api/rows", {
    ...admin,
    body: { connector: key, label: key },
  });
  return body.id;
}

async function request(method: string, path: string, body?: unknown) {
  const answer = await hub.request(method, path, { ...admin, ...(body !== undefined && { body }) });
  const text = JSON.stringify(answer.body);
  answers.push({ where: `${method} ${path}`, text });
  return { status: answer.status, text };
}

async function execute(rowId: string, where: string): Promise<string> {
  const message = toToolCall("hub_execute", { tool_id: `conn:${rowId}/get`, params: {} });
  const text = await (await postRpc(hub.url, admin.token, message)).text();
  answers.push({ where: `hub_execute ${where}`, text });
  return text;
}

test.each(
  someOf(2, Object.keys(programs)),
)("A plugin that does not start is reported as unavailable: %s", async (key) => {
  const id = await addRow(key);
  expect(await execute(id, key)).toContain("plugin_unavailable");
  await request("POST", `/manager/api/rows/${id}/operations/get/test`, { params: {} });
  await request("POST", `/manager/api/rows/${id}/health`);
  await request("GET", `/manager/api/plugins/${key}`);
  await request("GET", "/manager/api/runs");
  await rm(join(hub.dataDir, "plugins", key), { recursive: true });
  await mkdir(join(hub.dataDir, "plugins", key));
  await request("GET", "/manager/api/plugins");
  await execute(id, `${key}, its files gone`);
});

test("In the failures of a plugin, the paths of its files are hidden", async () => {
  const id = await addRow("reads_file", readsFile);
  const row = `/manager/api/rows/${id}`;
  const shown = `open '${hiddenPath}'`;
  expect(await execute(id, "reads_file")).toContain(shown);
  const tested = await request("POST", `${row}/operations/get/test`, { params: {} });
  expect(tested.text).toContain(shown);
  expect((await request("GET", `/manager/api/runs?row=${id}`)).text).toContain(shown);
});

test("In the failures of a row's program, the path of its working folder is hidden", async () => {
  const { id } = await hub.admin.rows.add({
    connector: "mcp",
    label: "Names its folder",
    values: {
      transport: "stdio",
      command: "/bin/sh",
      args: JSON.stringify([{ value: "-c" }, { value: namesFolder }]),
    },
  });
  const shown = `cannot open ${hiddenPath}`;
  for (const question of ["health", "discover"]) {
    const { text } = await request("POST", `/manager/api/rows/${id}/${question}`, {});
    expect(text).toContain(shown);
  }
  expect((await request("GET", `/manager/api/runs?row=${id}`)).text).toContain(shown);
});

test("A missing or invalid catalog, or missing plugin files, fail the installation", async () => {
  const catalog = join(outside, "plugins.json");
  const entry = { key: "tracker", name: "T", description: "D", version: "1.0.0" };
  const assets = { [findHostPlatform()]: join(outside, "none.zip") };
  for (const text of [null, "{", "[{}]", JSON.stringify([{ ...entry, assets }])]) {
    if (text !== null) await writeFile(catalog, text);
    await request("GET", "/manager/api/plugins/catalog");
    const { status } = await request("POST", "/manager/api/plugins/install", { source: "tracker" });
    expect(status).toBeGreaterThanOrEqual(400);
  }
});

testOnSqlite(
  "keyFile",
  "A save of a secret is answered when the key file is damaged, readable by others, or missing",
  async () => {
    const keyFile = join(hub.dataDir, "keys.json");
    await addRow("ends").catch(() => {});
    const save = () =>
      request("POST", "/manager/api/rows", {
        connector: "http",
        label: crypto.randomUUID(),
        values: { base_url: "https://example.com", auth_mode: "bearer", secret: "s3cr3t-t0ken" },
      });
    for (const damage of [
      () => chmod(keyFile, 0o644),
      () => writeFile(keyFile, "{", { mode: 0o600 }),
      () => rm(keyFile),
    ]) {
      await damage();
      await save();
    }
  },
);

test("No answer to these requests contains a path of the hub's machine", () => {
  expect(answers.length).toBeGreaterThan(30);
  for (const { where, text } of answers) {
    for (const path of [
      hub.dataDir,
      outside,
      `${tmpdir()}/hub`,
      "/no/such",
      "hubp-",
      "keys.json",
    ]) {
      expect(text, where).not.toContain(path);
    }
  }
});
