import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../config.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { createKeyRing, formatKeyId, toKeyId } from "../../secrets/keys/key-ring.ts";
import { createKeyFile, readKeyFile } from "../../store/data-folder/key-file.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import type { Store } from "../../store/store.ts";
import { newRow } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { checkKeys, loadRing, makeKeysAtFirst } from "./load-keys.ts";

let dataDir: string;
let store: Store;
let errors: unknown[];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-keys-"));
  store = await openTestStore({ dataDir });
  errors = [];
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

const load = (env: Record<string, string> = {}) =>
  loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir, ...env } }).config;
// The test uses only this function of the log.
const log = { error: (...given: unknown[]) => errors.push(given) } as unknown as Log;
const given = (byte: number) => Buffer.alloc(32, byte);
const addRow = (sealed: Uint8Array | null) =>
  insertRow(store.db, newRow({ values: [{ key: "token", value: sealed ? null : "x", sealed }] }));

test("A new folder gets a key file, from which the ring is made", async () => {
  await makeKeysAtFirst(load(), store, { log });
  const [key] = (await readKeyFile(dataDir)) ?? [];
  const ring = await loadRing(load());
  expect([...ring.keys.keys()]).toEqual([toKeyId(key ?? new Uint8Array())]);
  expect(errors).toEqual([]);
});

test("An existing key file is not changed", async () => {
  const keys = await createKeyFile(dataDir);
  await makeKeysAtFirst(load(), store, { log });
  expect(await readKeyFile(dataDir)).toEqual(keys);
});

test("With HUB_ENC_KEY no key file is created, and its first key seals", async () => {
  const config = load({ HUB_ENC_KEY: `${given(1).toString("hex")},${given(2).toString("hex")}` });
  await makeKeysAtFirst(config, store, { log });
  expect(await readKeyFile(dataDir)).toBeNull();
  const ring = await loadRing(config);
  expect([ring.sealing.id, ring.keys.size]).toEqual([toKeyId(given(1)), 2]);
  expect(ring.sealing.id).toBe(createKeyRing([given(1)]).sealing.id);
});

test("If the key file of stored secrets is missing, a new one is created and the log says what to do", async () => {
  await addRow(null);
  await addRow(new Uint8Array([1]));
  await makeKeysAtFirst(load(), store, { log });
  expect(await readKeyFile(dataDir)).toHaveLength(1);
  expect(errors).toEqual([[{ folder: dataDir }, expect.stringContaining("restore it")]]);
});

test("A command makes no second key file beside stored secrets", async () => {
  await addRow(new Uint8Array([1]));
  const made = makeKeysAtFirst(load(), store, { log, mayMakeHub: false });
  await expect(made).rejects.toMatchObject({ code: "bad_configuration" });
  expect(await readKeyFile(dataDir)).toBeNull();
});

test("No process makes a key file for a database with a key of HUB_ENC_KEY", async () => {
  const config = load({ HUB_ENC_KEY: given(1).toString("hex") });
  await checkKeys(config, store, { ring: await loadRing(config), mayMakeHub: true });
  for (const mayMakeHub of [true, false]) {
    const made = makeKeysAtFirst(load(), store, { log, mayMakeHub });
    await expect(made).rejects.toMatchObject({
      detail: { key: formatKeyId(toKeyId(given(1))) },
      localMessage: expect.stringContaining("HUB_ENC_KEY as the server has it"),
    });
  }
  expect(await readKeyFile(dataDir)).toBeNull();
});

test("Without stored secrets a missing key file is not reported", async () => {
  await addRow(null);
  await makeKeysAtFirst(load(), store, { log });
  expect(errors).toEqual([]);
});

test("A key file that disappears later is an error and is not silently replaced", async () => {
  const failure = await loadRing(load()).catch((thrown) => thrown);
  expect(failure).toMatchObject({
    code: "bad_configuration",
    // Only people at the machine read which folder it is.
    localMessage: expect.stringContaining(dataDir),
  });
  expect(failure.message).not.toContain(dataDir);
  expect(await readKeyFile(dataDir)).toBeNull();
});
