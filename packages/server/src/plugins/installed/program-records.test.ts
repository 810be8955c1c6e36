import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { putSetting } from "../../store/settings/settings-table.ts";
import type { Store } from "../../store/store.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { createProgramRecords } from "./program-records.ts";

let dataDir: string;
let store: Store;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "hub-records-"));
  store = await openTestStore({ dataDir });
});
afterAll(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true });
});

test("Each plugin has the record of its latest verification", async () => {
  const records = createProgramRecords({ db: store.db, folderName: null, now: Date.now });
  expect(await records.find("tracker")).toBeNull();
  const record = { stamp: "1.2.3", sha256: "ab", cosign: "" };
  await records.put("tracker", { ...record, sha256: "cd" });
  await records.put("tracker", record);
  await records.put("other", { ...record, stamp: "4" });
  expect(
    await createProgramRecords({ db: store.db, folderName: null, now: Date.now }).find("tracker"),
  ).toEqual(record);
});

test("Deleting a record keeps the records of other plugins", async () => {
  const records = createProgramRecords({ db: store.db, folderName: null, now: Date.now });
  const record = { stamp: "1.2.3", sha256: "ab", cosign: "" };
  await records.put("going", record);
  await records.put("staying", record);
  await records.delete("going");
  expect(await records.find("going")).toBeNull();
  expect(await records.find("staying")).toEqual(record);
});

test("An unreadable record counts as missing", async () => {
  await putSetting(store.db, "plugin_program:tracker", '{"stamp":"1.2.3"}');
  expect(
    await createProgramRecords({ db: store.db, folderName: null, now: Date.now }).find("tracker"),
  ).toBeNull();
});

test("Servers with folders of their own have records of their own, and old ones are deleted", async () => {
  const open = (folderName: string, at: number) =>
    createProgramRecords({ db: store.db, folderName, now: () => at });
  const [one, two] = [open("one", 1_000), open("two", 2_000)];
  const record = { stamp: "1.2.3", sha256: "ab", cosign: "" };
  await one.put("shared", record);
  await two.put("shared", { ...record, stamp: "9" });
  expect(await one.find("shared")).toEqual(record);
  await one.purge(2_000);
  expect([await one.find("shared"), await two.find("shared")]).toEqual([
    null,
    { ...record, stamp: "9" },
  ]);
});
