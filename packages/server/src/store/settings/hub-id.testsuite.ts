import { expect, test } from "bun:test";
import type { TestStores } from "../testing/test-stores.ts";
import { createHubIdReader } from "./hub-id.ts";

/** The random id of a hub. */
export function describeHubIds(stores: () => TestStores): void {
  test("Processes that make the id at once get the same one, and it stays", async () => {
    const { db } = stores().store;
    const readers = Array.from({ length: 4 }, () => createHubIdReader(db));
    const ids = new Set(await Promise.all(readers.map((read) => read())));
    expect(ids.size).toBe(1);
    expect(await createHubIdReader(db)()).toBe([...ids][0] ?? "");
    expect([...ids][0]).toMatch(/^[0-9a-f-]{36}$/);
  });
}
