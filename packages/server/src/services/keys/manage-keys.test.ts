import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { commandLineActor, localAdmin } from "../../identity/local-admin.ts";
import { openAtRest, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import {
  toConnectionLocation,
  toWorkflowSecretLocation,
} from "../../secrets/at-rest/secret-locations.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createRingHolder } from "../../secrets/keys/ring-holder.ts";
import { openValue } from "../../secrets/value-tokens/value-tokens.ts";
import { readKeyFile, writeKeyFile } from "../../store/data-folder/key-file.ts";
import { transaction } from "../../store/database/database.ts";
import { findRowConnection, putRowConnection } from "../../store/rows/row-connections.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { newWorkflow } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { insertWorkflow } from "../../store/workflows/workflow-changes.ts";
import { listWorkflowSecrets, putWorkflowSecret } from "../../store/workflows/workflow-secrets.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { actAs } from "../testing/act-as.ts";
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

describe("secrets of workflows", () => {
  const place = toWorkflowSecretLocation("report-1", "KEY");

  async function addWorkflowSecret(): Promise<void> {
    const { db } = hub.deps.store;
    const { id } = await hub.admin.users.add({ email: "ann@example.com" });
    await insertWorkflow(db, newWorkflow(id, { id: "report-1" }));
    const sealed = sealAtRest(hub.deps.ring.current(), place, "of the workflow");
    await putWorkflowSecret(db, "report-1", { name: "KEY", sealed, updatedAt: 1 });
  }

  test("A rotation reseals them, and the old key can be removed", async () => {
    await addSecret();
    await addWorkflowSecret();
    const [old] = (await hub.admin.keys.list()).keys;
    expect(old?.sealed_values).toBe(2);
    expect(await hub.admin.keys.rotate()).toMatchObject({ resealed_values: 2 });
    const { keys } = await hub.admin.keys.remove(old?.id ?? "");
    expect(keys).toMatchObject([{ sealing: true, sealed_values: 2 }]);
    const [stored] = await listWorkflowSecrets(hub.deps.store.db, "report-1");
    const sealed = stored?.sealed ?? new Uint8Array();
    expect(openAtRest(hub.deps.ring.current(), place, sealed)).toBe("of the workflow");
    const other = toWorkflowSecretLocation("report-2", "KEY");
    expect(() => openAtRest(hub.deps.ring.current(), other, sealed)).toThrow("another field");
  });

  test("A rotation that cannot open one names its workflow and changes nothing", async () => {
    await addWorkflowSecret();
    await runSql(hub.deps.store.db, "update workflow_secrets set sealed = ?", new Uint8Array(40));
    const before = await hub.admin.keys.list();
    await expect(hub.admin.keys.rotate()).rejects.toThrow('Workflow "Report" (report-1)');
    expect(await hub.admin.keys.list()).toEqual(before);
  });
});

test("A rotation reseals the tokens of a connected row, and the old key can be removed", async () => {
  const { db } = hub.deps.store;
  const rowId = await addSecret();
  const place = toConnectionLocation(rowId);
  const sealed = sealAtRest(hub.deps.ring.current(), place, "of the connection");
  await transaction(db, (trx) =>
    putRowConnection(trx, {
      rowId,
      id: "one",
      tokensId: "first",
      sealed,
      scope: "",
      connectedAt: 1,
      issuer: "https://as.example",
      address: "https://mcp.example/mcp",
      expiresAt: null,
      renewAt: null,
      canRenew: true,
    }),
  );
  const [old] = (await hub.admin.keys.list()).keys;
  expect(old?.sealed_values).toBe(2);
  await expect(hub.admin.keys.remove(old?.id ?? "")).rejects.toThrow();
  expect(await hub.admin.keys.rotate()).toMatchObject({ resealed_values: 2 });
  await hub.admin.keys.remove(old?.id ?? "");
  const stored = await findRowConnection(db, rowId);
  const opened = openAtRest(hub.deps.ring.current(), place, stored?.sealed ?? new Uint8Array());
  expect(opened).toBe("of the connection");
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

test("After a removal that was interrupted before its commit, the next removal notifies every process", async () => {
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
  await expect(hub.admin.keys.remove(only?.id ?? "")).rejects.toThrow("encrypts new secrets");
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

/** The services of another process on the same folder. */
async function openOther(change: Partial<ServiceDeps> = {}) {
  const store = await openTestStore({ dataDir: hub.dataDir });
  const load = async () => createKeyRing((await readKeyFile(hub.dataDir)) ?? []);
  const deps = { ...hub.deps, store, ring: await createRingHolder(load), ...change };
  return { ...actAs(deps, commandLineActor), [Symbol.asyncDispose]: () => store.close() };
}

const listSealed = async () =>
  (await hub.admin.keys.list()).keys.map(({ sealed_values }) => sealed_values);

test("Two rotations at once keep both keys, and every secret opens", async () => {
  await using other = await openOther();
  const ids = [await addSecret(), await addSecret()];
  const rotated = await Promise.all([hub.admin.keys.rotate(), other.keys.rotate()]);
  const { keys } = await hub.admin.keys.list();
  expect(keys).toHaveLength(3);
  expect(keys.map(({ id }) => id)).toContainValues(rotated.map(({ sealing }) => sealing));
  expect(await listSealed()).toEqual([2, 0, 0]);
  for (const id of ids) expect(await openSecret(id)).toBe("the-secret");
});

test("Rows that another process adds during rotations and removals keep their secrets", async () => {
  await using other = await openOther();
  const values = { token: "the-secret" };
  const added = Array.from({ length: 20 }, () =>
    other.rows.add({ connector: "tracker", label: "Row", values }),
  );
  for (let round = 0; round < 3; round += 1) {
    await hub.admin.keys.rotate();
    for (const { id, sealing } of (await hub.admin.keys.list()).keys) {
      if (!sealing) await hub.admin.keys.remove(id);
    }
  }
  for (const { id } of await Promise.all(added)) expect(await openSecret(id)).toBe("the-secret");
  expect(await listSealed()).toEqual([20]);
});

describe("a secret that was sealed before its key was replaced", () => {
  const values = { token: "the-secret" };

  /** Changes the keys after the other process has read them and before it stores its secret. */
  async function openLate(change: () => Promise<unknown>) {
    let isFirst = true;
    const { ring } = hub.deps;
    const reload = async () => {
      const read = await ring.reload();
      if (isFirst) {
        isFirst = false;
        await change();
      }
      return read;
    };
    return await openOther({ ring: { current: ring.current, reload } });
  }

  async function replaceKey(): Promise<void> {
    const [old] = (await hub.admin.keys.list()).keys;
    await hub.admin.keys.rotate();
    await hub.admin.keys.remove(old?.id ?? "");
  }

  test("A secret that was sealed with a replaced key is sealed again in a new row", async () => {
    await using late = await openLate(replaceKey);
    const { id } = await late.rows.add({ connector: "tracker", label: "Late", values });
    expect(await openSecret(id)).toBe("the-secret");
    expect(await listSealed()).toEqual([1]);
  });

  test("A secret that was sealed with a replaced key is sealed again in a changed row", async () => {
    const { id } = await hub.admin.rows.add({ connector: "tracker", label: "Late" });
    await using late = await openLate(replaceKey);
    await late.rows.set(id, { values });
    expect(await openSecret(id)).toBe("the-secret");
    expect(await listSealed()).toEqual([1]);
  });

  test("A secret is refused with a message if the keys change again and again", async () => {
    const { ring } = hub.deps;
    const reload = async () => {
      const read = await ring.reload();
      await hub.admin.keys.rotate();
      return read;
    };
    await using late = await openOther({ ring: { current: ring.current, reload } });
    const added = late.rows.add({ connector: "tracker", label: "Late", values });
    await expect(added).rejects.toMatchObject({ code: "conflict" });
    expect(await hub.admin.rows.list()).toEqual([]);
  });
});

test("After a rotation that died before the new key sealed, every secret opens and a rotation completes it", async () => {
  const id = await addSecret();
  const [old] = (await readKeyFile(hub.dataDir)) ?? [];
  await hub.admin.keys.rotate();
  const [made] = (await readKeyFile(hub.dataDir)) ?? [];
  // The state after a crash: all secrets have the new key, and the old one still seals.
  const keys = [old, made].map((key) => key ?? new Uint8Array());
  await writeKeyFile(hub.dataDir, keys);
  expect(await openSecret(id)).toBe("the-secret");
  const another = await addSecret();
  expect(await listSealed()).toEqual([1, 1]);
  for (const { id: key } of (await hub.admin.keys.list()).keys) {
    await expect(hub.admin.keys.remove(key)).rejects.toMatchObject({ code: "conflict" });
  }
  await hub.admin.keys.rotate();
  expect(await listSealed()).toEqual([2, 0, 0]);
  for (const row of [id, another]) expect(await openSecret(row)).toBe("the-secret");
});

test("A removal whose key file cannot be written changes and records nothing", async () => {
  const [old] = (await hub.admin.keys.list()).keys;
  await hub.admin.keys.rotate();
  const recorded = await hub.admin.changes.list({ limit: 10 });
  await chmod(join(hub.dataDir, "keys.json"), 0o644);
  await expect(hub.admin.keys.remove(old?.id ?? "")).rejects.toThrow("its key file");
  await chmod(join(hub.dataDir, "keys.json"), 0o600);
  expect(await readKeyFile(hub.dataDir)).toHaveLength(2);
  expect(await hub.admin.changes.list({ limit: 10 })).toEqual(recorded);
});

test("With HUB_ENC_KEY, the hub removes no key", async () => {
  const other = await openTestServices({ HUB_ENC_KEY: "ab".repeat(32) });
  try {
    await expect(other.admin.keys.remove("12345678")).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("HUB_ENC_KEY"),
    });
  } finally {
    await other.close();
  }
});

test("A rotation leaves a row without secrets at its version", async () => {
  const { id, version } = await hub.admin.rows.add({ connector: "tracker", label: "Bare" });
  await hub.admin.keys.rotate();
  expect((await hub.admin.rows.show(id)).version).toBe(version);
});

test("An unknown key is not found, and the error names the known ones", async () => {
  await hub.admin.keys.rotate();
  const names = (await hub.admin.keys.list()).keys.map(({ id }) => id).join(", ");
  await expect(hub.admin.keys.remove("00000000")).rejects.toMatchObject({
    code: "not_found",
    message: `There is no key "00000000". There are: ${names}.`,
  });
});
