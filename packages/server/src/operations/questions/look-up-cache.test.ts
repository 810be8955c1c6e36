import { expect, test } from "bun:test";
import type { LookupItem } from "@hub/connector";
import { createLookUpCache } from "./look-up-cache.ts";

function openCache() {
  const clock = { ms: 1_000_000 };
  const cache = createLookUpCache({ now: () => clock.ms });
  let asked = 0;
  const get = async (...parts: string[]) => {
    const [item] = await cache.get(parts, async () => [{ id: `${++asked}`, name: "x" }]);
    return item?.id;
  };
  return { clock, cache, get };
}

test("An answer is cached for a minute, for the same question only", async () => {
  const { clock, get } = openCache();
  expect([await get("a", "b"), await get("a", "b")]).toEqual(["1", "1"]);
  // The same characters in other parts.
  expect([await get("ab", ""), await get("a,b")]).toEqual(["2", "3"]);
  clock.ms += 59_999;
  expect(await get("a", "b")).toBe("1");
  clock.ms += 1;
  expect(await get("a", "b")).toBe("4");
});

test("A clock that is set back does not extend the cache time", async () => {
  const { clock, get } = openCache();
  await get("a");
  clock.ms -= 3_600_000;
  expect(await get("a")).toBe("2");
});

test("A failure is not cached", async () => {
  const { cache, get } = openCache();
  const fail = async (): Promise<LookupItem[]> => {
    throw new Error("The host is away.");
  };
  await expect(cache.get(["a"], fail)).rejects.toThrow("The host is away.");
  expect(await get("a")).toBe("1");
});

test("A full cache removes the oldest answers", async () => {
  const { get } = openCache();
  await get("first");
  for (let i = 0; i < 500; i++) await get(`other ${i}`);
  expect(await get("other 499")).toBe("501");
  expect(await get("first")).toBe("502");
});
