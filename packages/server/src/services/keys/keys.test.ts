import { afterEach, beforeEach, expect, test } from "bun:test";
import { localAdmin } from "../../identity/local-admin.ts";
import { openAtRest } from "../../secrets/at-rest.ts";
import { openValue } from "../../secrets/value-tokens.ts";
import { readKeyFile, writeKeyFile } from "../../store/key-file.ts";
import { findRow } from "../../store/rows.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeEach(async () => {
  hub = await openTestServices();
});
afterEach(() => hub.close());

async function addSecret(): Promise<string> {
  const values = { token: "the-secret" };
  return (await hub.admin.rows.add({ connector: "tracker", label: "Row", values })).id;
}

async function openSecret(id: string): Promise<string> {
  const row = await findRow(hub.deps.store.db, id);
  const sealed = row?.values.find(({ key }) => key === "token")?.sealed ?? new Uint8Array();
  const place = { table: "row_values", row: id, field: "token" };
  return openAtRest(hub.deps.ring.current(), place, sealed);
}

test("A rotation reseals all secrets, and tokens of the old key still open", async () => {
  const id = await addSecret();
  const { token } = await hub.admin.encrypt({ text: "held by a client" });
  const [old] = (await hub.admin.keys.list()).keys;

  const rotated = await hub.admin.keys.rotate();
  expect(rotated.resealed_values).toBe(1);
  expect(rotated.keys).toEqual([
    { id: rotated.sealing, sealing: true, sealed_values: 1 },
    { id: old?.id ?? "", sealing: false, sealed_values: 0 },
  ]);
  expect(await openSecret(id)).toBe("the-secret");
  expect(
    openValue(hub.deps.ring.current(), { userId: localAdmin.userId, rowId: null }, token),
  ).toBe("held by a client");
});

test("Value tokens of a removed key no longer open", async () => {
  const id = await addSecret();
  const { token } = await hub.admin.encrypt({ text: "held by a client" });
  const [old] = (await hub.admin.keys.list()).keys;
  await hub.admin.keys.rotate();
  const { keys } = await hub.admin.keys.remove(old?.id ?? "");
  expect(keys).toHaveLength(1);
  expect(await openSecret(id)).toBe("the-secret");
  expect(() =>
    openValue(hub.deps.ring.current(), { userId: localAdmin.userId, rowId: null }, token),
  ).toThrow();
});

test("After a removal that died before its commit, the next removal notifies every process", async () => {
  const [old] = (await hub.admin.keys.list()).keys;
  await hub.admin.keys.rotate();
  const [sealing] = (await readKeyFile(hub.dataDir)) ?? [];
  // The state after a crash: the key is removed from the file, and no process was notified.
  await writeKeyFile(hub.dataDir, [sealing ?? new Uint8Array()]);
  const before = await hub.deps.store.reads.readRevision();
  await expect(hub.admin.keys.remove(old?.id ?? "")).rejects.toThrow("There is no key");
  expect(await hub.deps.store.reads.readRevision()).toBeGreaterThan(before);
});

test("The sealing key cannot be removed, even if it seals no secret", async () => {
  const [only] = (await hub.admin.keys.list()).keys;
  await expect(hub.admin.keys.remove(only?.id ?? "")).rejects.toThrow("seals new values");
  await expect(hub.admin.keys.remove("00000000")).rejects.toThrow(`There are: ${only?.id}`);
});

test("A key that stored secrets need cannot be removed", async () => {
  await addSecret();
  const [old] = (await hub.admin.keys.list()).keys;
  const keys = await readKeyFile(hub.dataDir);
  await writeKeyFile(hub.dataDir, [new Uint8Array(32).fill(9), ...(keys ?? [])]);
  await expect(hub.admin.keys.remove(old?.id ?? "")).rejects.toThrow("1 stored secrets are sealed");
});

test("A rotation that cannot open a secret names its row and changes nothing", async () => {
  const id = await addSecret();
  const broken = new Uint8Array(40);
  const change = "update row_values set sealed = ? where sealed is not null";
  await runSql(hub.deps.store.db, change, broken);
  const before = await hub.admin.keys.list();
  await expect(hub.admin.keys.rotate()).rejects.toThrow(`Row "Row" (${id})`);
  expect(await hub.admin.keys.list()).toEqual(before);
});

test("After a rotation by another process, a new row is sealed with the new key", async () => {
  const stale = hub.deps.ring.current();
  await hub.admin.keys.rotate();
  const id = await addSecret();
  const { keys } = await hub.admin.keys.list();
  expect(keys.find((key) => key.sealing)?.sealed_values).toBe(1);
  expect(hub.deps.ring.current().sealing.id).not.toBe(stale.sealing.id);
  expect(await openSecret(id)).toBe("the-secret");
});

test("With HUB_ENC_KEY, the hub removes no key", async () => {
  const other = await openTestServices({ HUB_ENC_KEY: "ab".repeat(32) });
  try {
    await expect(other.admin.keys.remove("12345678")).rejects.toThrow("HUB_ENC_KEY");
  } finally {
    await other.close();
  }
});

test("a rotation leaves a row without secrets at its version", async () => {
  const { id, version } = await hub.admin.rows.add({ connector: "tracker", label: "Bare" });
  await hub.admin.keys.rotate();
  expect((await hub.admin.rows.show(id)).version).toBe(version);
});

test("a key that is not there is not found, and the answer names those that are", async () => {
  await hub.admin.keys.rotate();
  const names = (await hub.admin.keys.list()).keys.map(({ id }) => id).join(", ");
  await expect(hub.admin.keys.remove("00000000")).rejects.toMatchObject({
    code: "not_found",
    message: `There is no key "00000000". There are: ${names}.`,
  });
});
