import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reservedKeys } from "@hub/contract/reserved-keys.ts";
import { loadConfig } from "./config.ts";
import { createHub } from "./hub.ts";
import { createLog } from "./lib/logs/create-log.ts";
import { systemTimers } from "./lib/time/timers.ts";
import { craftPlugin, toMembers, writePluginFolder } from "./plugins/testing/craft-plugin.ts";
import { craftZip } from "./plugins/testing/craft-zip.ts";
import { findHostPlatform } from "./plugins/verify/check-platform.ts";

test("Closing ends everything that was opened and removes the instance", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const env = { HUB_DATA_DIR: dataDir, HUB_PORT: "0" };
  const { config } = loadConfig({ env, cwd: dataDir });
  const hub = await createHub({ config, kind: "serve", log: createLog("silent") });
  const server = await hub.serve();
  stack.defer(() => server.stop());
  const probe = () => fetch(`http://127.0.0.1:${server.port}/health`, { keepalive: false });
  expect((await probe()).ok).toBeTrue();

  await hub.close();
  await expect(probe()).rejects.toThrow();
  // Stopping the server again has no effect.
  await server.stop();
  using db = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  expect(db.query("select id from instances").all()).toEqual([]);
});

test("A server drains for the seconds of HUB_DRAIN_SECONDS", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const env = { HUB_DATA_DIR: dataDir, HUB_PORT: "0", HUB_DRAIN_SECONDS: "234" };
  const { config } = loadConfig({ env, cwd: dataDir });
  const hub = await createHub({ config, kind: "serve", log: createLog("silent") });
  stack.defer(() => hub.close());
  const server = await hub.serve();
  const { after } = systemTimers;
  const spy = spyOn(systemTimers, "after").mockImplementation((ms, action) =>
    after(ms === 234_000 ? 0 : ms, action),
  );
  stack.defer(() => spy.mockRestore());
  await server.stop();
  expect(spy.mock.calls.map(([ms]) => ms)).toContain(234_000);
});

test("Where plugins have keys of built-in connectors, these have others, and the reserved keys are all of them", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const { config } = loadConfig({ env: { HUB_DATA_DIR: dataDir }, cwd: dataDir });
  const listKeys = async () => {
    const made = { config, kind: "cli", log: createLog("silent"), mayMakeHub: true } as const;
    const hub = await createHub(made);
    const keys = hub.services.registry.list().map(({ key }) => key);
    await hub.close();
    return keys;
  };
  expect(await listKeys()).toEqual([...reservedKeys]);
  const kept = ["mcp", "openapi", "slack", "telegram", "workflow_tool"];
  for (const key of kept) await mkdir(join(dataDir, "plugins", key), { recursive: true });
  const own = kept.map((key) => `hub_${key}`);
  expect(await listKeys()).toEqual(["http", "hub", "workflow", ...own].sort());
});

test("The address that a command tells is the configured one, else the default of the port", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const findAddress = async (env: Record<string, string>) => {
    const all = { HUB_DATA_DIR: dataDir, ...env };
    const { config } = loadConfig({ env: all, cwd: dataDir });
    const hub = await createHub({
      config,
      kind: "cli",
      log: createLog("silent"),
      mayMakeHub: true,
    });
    stack.defer(() => hub.close());
    return await hub.findServedBaseUrl();
  };
  expect(await findAddress({ HUB_PORT: "7999" })).toBe("http://localhost:7999");
  const env = { HUB_PORT: "7999", HUB_BASE_URL: "https://hub.example.com" };
  expect(await findAddress(env)).toBe("https://hub.example.com");
});

test("A plugin that had the key of a later built-in connector keeps it, until its next install", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const crafted = craftPlugin({ key: "mcp", manifest: { os_arch: [findHostPlatform()] } });
  await writePluginFolder(join(dataDir, "plugins", "mcp"), crafted);
  const { config } = loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir } });
  const hub = await createHub({ config, kind: "cli", log: createLog("silent"), mayMakeHub: true });
  stack.defer(() => hub.close());
  const findTier = (key: string) => hub.registry.find(key)?.tier;
  expect([findTier("mcp"), findTier("openapi")]).toEqual(["plugin", "builtin"]);
  const path = join(dataDir, "t.zip");
  await writeFile(path, craftZip(toMembers(crafted)));
  await expect(hub.services.plugins.install(path, { cwd: dataDir })).rejects.toMatchObject({
    detail: { check: "key" },
  });
  await hub.services.plugins.sync();
  expect(findTier("mcp")).toBe("plugin");
});
