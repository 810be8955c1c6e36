/** Protects: a stored secret of a row never goes to other code than that for which the row was made. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { loadConfig } from "../../config.ts";
import { hubActor } from "../../identity/local-admin.ts";
import { transaction } from "../../store/database/database.ts";
import type { RowOwner } from "../../store/rows/row-record.ts";
import { findRow, insertRow } from "../../store/rows/rows-table.ts";
import type { Store } from "../../store/store.ts";
import { newRow } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { findKeptKeys } from "./find-kept-keys.ts";

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-kept-keys-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

const laterKeys = ["mcp", "openapi", "slack", "telegram", "workflow", "workflow_tool"];
const keys = ["http", "hub", ...laterKeys];

async function find(): Promise<Record<string, string | null>> {
  const { config } = loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir } });
  return Object.fromEntries(await findKeptKeys(config, store, keys));
}

const install = (key: string) => mkdir(join(dataDir, "plugins", key), { recursive: true });
const remove = (key: string) => rm(join(dataDir, "plugins", key), { recursive: true });

async function addRow(connectorKey: string, owner: RowOwner | null = null): Promise<string> {
  return (await insertRow(store.db, newRow({ connectorKey, owner }))).id;
}

const ownerOf = async (id: string) => (await findRow(store.db, id))?.owner;

test("A plugin that was installed before the built-in connector came keeps its key and rows", async () => {
  await install("slack");
  const id = await addRow("slack");
  expect(await find()).toEqual({ slack: "hub_slack" });
  expect(await ownerOf(id)).toBe("plugin");
});

test("The rows of a removed plugin stay its own, and the built-in connector does not get the key", async () => {
  await install("slack");
  const id = await addRow("slack");
  await find();
  await remove("slack");
  expect(await find()).toEqual({ slack: "hub_slack" });
  expect(await ownerOf(id)).toBe("plugin");
});

test("Rows of a plugin that was removed before rows had owners are the plugin's", async () => {
  const id = await addRow("slack");
  const stamp = stampChange(hubActor, 1);
  const change = { action: "plugin.install", kind: "plugin", id: "slack", name: "Slack" } as const;
  await transaction(store.db, (trx) => recordChange(trx, stamp, change));
  expect(await find()).toEqual({ slack: "hub_slack" });
  expect(await ownerOf(id)).toBe("plugin");
});

test("Rows of the built-in connector stay its own when a folder of a plugin appears", async () => {
  const id = await addRow("slack");
  expect(await find()).toEqual({});
  expect(await ownerOf(id)).toBe("built-in");
  await install("slack");
  expect(await find()).toEqual({});
});

test("The built-in connector keeps its other key while it has rows there", async () => {
  await addRow("hub_slack", "built-in");
  expect(await find()).toEqual({ slack: "hub_slack" });
});

test("Without a plugin and rows of one, the built-in connector has its key", async () => {
  await install("slack");
  expect(await find()).toEqual({ slack: "hub_slack" });
  await remove("slack");
  expect(await find()).toEqual({});
});

test("A built-in connector whose other key a plugin has, too, is off", async () => {
  await install("slack");
  await install("hub_slack");
  expect(await find()).toEqual({ slack: null });
  await remove("hub_slack");
  const id = await addRow("hub_slack", "plugin");
  expect(await find()).toEqual({ slack: null });
  expect(await ownerOf(id)).toBe("plugin");
});

test("Channels that are older than owners are the built-in connector's, and other rows beside them the plugin's", async () => {
  await install("slack");
  const channel = await insertRow(store.db, newRow({ connectorKey: "slack", slug: "team" }));
  const other = await addRow("slack");
  expect(await find()).toEqual({});
  expect([await ownerOf(channel.id), await ownerOf(other)]).toEqual(["built-in", "plugin"]);
});

test("A plugin never has the keys that every hub had from its first version on", async () => {
  await install("http");
  const id = await addRow("http");
  expect(await find()).toEqual({});
  expect(await ownerOf(id)).toBe("built-in");
});

test.each(laterKeys)("The key %s can be a plugin's", async (key) => {
  await install(key);
  expect(await find()).toEqual({ [key]: `hub_${key}` });
});

test("Rows of other plugins get their owner, and those of unknown connectors none", async () => {
  await install("tracker");
  const [known, unknown] = [await addRow("tracker"), await addRow("company")];
  expect(await find()).toEqual({});
  expect([await ownerOf(known), await ownerOf(unknown)]).toEqual(["plugin", null]);
});

test("A start that has nothing to decide does not wait for a writer", async () => {
  await addRow("slack", "built-in");
  const other = await openTestStore({ dataDir });
  try {
    await transaction(other.db, async (trx) => {
      await insertRow(trx, newRow({ connectorKey: "mcp", owner: "built-in" }));
      expect(await find()).toEqual({});
    });
  } finally {
    await other.close();
  }
});
