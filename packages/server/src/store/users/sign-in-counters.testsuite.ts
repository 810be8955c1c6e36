import { expect, test } from "bun:test";
import type { TestStores } from "../testing/test-stores.ts";
import { listSignInCounters, putSignInCounter } from "./sign-in-counters.ts";

/** The counters of failed sign-ins. */
export function describeSignInCounters(stores: () => TestStores): void {
  test("Sign-in counters are listed by their prefix, those with the most failures first", async () => {
    const { store } = stores();
    const at = Date.now();
    const put = (key: string, failures: number, expiresAt = at + 1_000) =>
      putSignInCounter(store.db, {
        key,
        account: key,
        failures,
        firstAt: at,
        lastAt: at,
        expiresAt,
      });
    expect(await listSignInCounters(store.db, { prefix: "list:", at, limit: 2 })).toEqual({
      counters: [],
      failures: 0,
    });
    await put("list:a", 1);
    await put("list:b", 3);
    await put("list:c", 2);
    await put("list:expired", 9, at);
    await put("listed:d", 9);
    const { counters, failures } = await listSignInCounters(store.db, {
      prefix: "list:",
      at,
      limit: 2,
    });
    expect([counters.map(({ key }) => key), failures]).toEqual([["list:b", "list:c"], 6]);
  });
}
