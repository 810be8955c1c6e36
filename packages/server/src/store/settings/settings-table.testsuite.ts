import { expect, test } from "bun:test";
import type { TestStores } from "../testing/test-stores.ts";
import {
  claimSetting,
  findSetting,
  listStoredSettings,
  putSetting,
  setStoredSetting,
} from "./settings-table.ts";

/** Stored settings. */
export function describeSettings(stores: () => TestStores): void {
  test("A stored setting is in the list and the snapshot until it is deleted", async () => {
    const { db, reads } = stores().store;
    await putSetting(db, "first-start", "yes");
    await setStoredSetting(db, "HUB_X", "1");
    await setStoredSetting(db, "HUB_X", "2");
    expect(await listStoredSettings(db)).toEqual(new Map([["HUB_X", "2"]]));
    expect((await reads.loadSnapshot()).settings).toEqual(new Map([["HUB_X", "2"]]));
    await setStoredSetting(db, "HUB_X", null);
    expect(await listStoredSettings(db)).toEqual(new Map());
    expect((await reads.loadSnapshot()).settings).toEqual(new Map());
  });

  test("A setting is stored and replaced", async () => {
    const { db } = stores().store;
    expect(await findSetting(db, "first-start")).toBeNull();
    await putSetting(db, "first-start", "yes");
    await putSetting(db, "first-start", "no");
    expect(await findSetting(db, "first-start")).toBe("no");
  });

  test("Only one of several concurrent claims stores a setting", async () => {
    const { db } = stores().store;
    const values = ["a", "b", "c"];
    const claims = await Promise.all(values.map((value) => claimSetting(db, "claimed", value)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await findSetting(db, "claimed")).toBe(values[claims.indexOf(true)] ?? "");
    expect(await claimSetting(db, "claimed", "d")).toBeFalse();
  });
}
