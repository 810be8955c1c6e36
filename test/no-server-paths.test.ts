/** Protects: no answer for users contains a path of the hub's machine, whatever fails there. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { craftPlugin, writePluginFolder } from "@hub/server/plugins/testing/craft-plugin.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { type ApiHub, openApiHub } from "./api/open-api-hub.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";

setDefaultTimeout(60_000);

const owned = new AsyncDisposableStack();
let hub: ApiHub;
let admin: Awaited<ReturnType<ApiHub["addUser"]>>;
let outside: string;
/** The text of each answer, with its request. */
const answers: Array<{ where: string; text: string }> = [];

beforeAll(async () => {
  outside = owned.use(await createDataFolder()).path;
  hub = owned.use(await openApiHub({ HUB_PLUGIN_CATALOG: join(outside, "plugins.json") }));
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => owned.disposeAsync());

/** Programs that fail in different ways before the handshake. */
const programs: Record<string, string> = {
  no_interpreter: "#!/no/such/interpreter\n",
  not_a_program: "neither a script nor a program",
  ends: "#!/bin/sh\nexit 3\n",
  names_its_place: '#!/bin/sh\necho "$0: cannot open $HOME/state.json" >&2\nexit 1\n',
  no_socket: '#!/bin/sh\necho "1|2|unix|$PLUGIN_UNIX_SOCKET_DIR/none.sock|grpc|"\nsleep 60\n',
};

async function addRow(key: string): Promise<string> {
  const operation = { Key: "get", Name: "Get", Description: "Gets.", Input: [] };
  const module = {
    Meta: { Key: key, Name: key, Description: "Fails.", Icon: "bug" },
    Configs: [],
    Operations: [{ Title: "All", Description: "", Ops: [operation] }],
    OAuth: null,
  };
  const manifest = { os_arch: [findHostPlatform()], module };
  const plugin = craftPlugin({ key, program: programs[key] ?? "", manifest });
  await hub.admin.plugins.install(await writePluginFolder(join(outside, key), plugin), {
    cwd: outside,
  });
  const { body } = await hub.request("POST", "/manager/api/rows", {
    ...admin,
    body: { connector: key, label: key },
  });
  return body.id;
}

async function request(method: string, path: string, body?: unknown): Promise<number> {
  const answer = await hub.request(method, path, { ...admin, ...(body !== undefined && { body }) });
  answers.push({ where: `${method} ${path}`, text: JSON.stringify(answer.body) });
  return answer.status;
}

test.each(
  Object.keys(programs),
)("A plugin that does not start is reported as unavailable: %s", async (key) => {
  const id = await addRow(key);
  const token = admin.headers.authorization?.replace("Bearer ", "") ?? "";
  const message = toToolCall("hub_execute", { tool_id: `conn:${id}/get`, params: {} });
  const text = await (await postRpc(hub.url, token, message)).text();
  expect(text).toContain("plugin_unavailable");
  answers.push({ where: `hub_execute ${key}`, text });
  await request("POST", `/manager/api/rows/${id}/operations/get/test`, { params: {} });
  await request("POST", `/manager/api/rows/${id}/health`);
  await request("GET", `/manager/api/plugins/${key}`);
  await request("GET", "/manager/api/runs");
  await rm(join(hub.dataDir, "plugins", key), { recursive: true });
  await mkdir(join(hub.dataDir, "plugins", key));
  await request("GET", "/manager/api/plugins");
  const later = await (await postRpc(hub.url, token, message)).text();
  answers.push({ where: `hub_execute ${key}, its files gone`, text: later });
});

test("A missing or invalid catalog, or missing plugin files, fail the installation", async () => {
  const catalog = join(outside, "plugins.json");
  const entry = { key: "tracker", name: "T", description: "D", version: "1.0.0" };
  const assets = { [findHostPlatform()]: join(outside, "none.zip") };
  for (const text of [null, "{", "[{}]", JSON.stringify([{ ...entry, assets }])]) {
    if (text !== null) await writeFile(catalog, text);
    await request("GET", "/manager/api/plugins/catalog");
    const status = await request("POST", "/manager/api/plugins/install", { source: "tracker" });
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
