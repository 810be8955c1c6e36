import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { purgeTokenIds, useTokenId } from "./used-token-ids.ts";
import { findUserById, insertUser, setUserTags } from "./users-table.ts";

/** Where users, tags and tokens from outside come from. */
export function describeUserOrigins(stores: () => TestStores): void {
  test("Tags given by hand are changed beside those that groups give", async () => {
    const { store } = stores();
    const at = Date.now();
    const { id } = await insertUser(store.db, {
      id: crypto.randomUUID(),
      email: `${crypto.randomUUID()}@example.com`,
      name: "Grace",
      role: "user",
      status: "active",
      tags: ["by-hand", "by-both", "by-group"],
      createdAt: at,
    });
    const links = () =>
      toKysely(store.db)
        .selectFrom("user_tags")
        .innerJoin("tags", "tags.id", "user_tags.tag_id")
        .select(["tags.name", "by_hand", "by_group"])
        .where("user_id", "=", id)
        .orderBy("tags.name")
        .execute();
    await transaction(store.db, async (trx) => {
      const db = toKysely(trx);
      const tagged = db
        .selectFrom("tags")
        .select("id")
        .where("name", "in", ["by-both", "by-group"]);
      const given = db
        .updateTable("user_tags")
        .where("user_id", "=", id)
        .where("tag_id", "in", tagged);
      await given.set({ by_group: 1 }).execute();
    });
    await setUserTags(store.db, id, ["by-both", "new"], at);
    expect(await links()).toEqual([
      { name: "by-both", by_hand: 1, by_group: 1 },
      { name: "by-group", by_hand: 0, by_group: 1 },
      { name: "new", by_hand: 1, by_group: 0 },
    ]);
    await setUserTags(store.db, id, [], at);
    expect((await findUserById(store.db, id))?.tags).toEqual(["by-both", "by-group"]);
  });

  test("The id of a token from outside is taken once on all servers, until it has expired", async () => {
    const { store, openAnother } = stores();
    const other = await openAnother();
    const token = { issuer: "https://id.example", id: crypto.randomUUID(), expiresAt: 1_000 };
    const taken = await Promise.all([store, other].map(({ db }) => useTokenId(db, token)));
    expect(taken.toSorted()).toEqual([false, true]);
    expect(await useTokenId(store.db, { ...token, issuer: "https://other.example" })).toBe(true);
    // Joined, these are the same text.
    const joined = {
      ...token,
      issuer: `${token.issuer}${token.id.slice(0, 1)}`,
      id: token.id.slice(1),
    };
    expect(await useTokenId(store.db, joined)).toBe(true);
    await purgeTokenIds(store.db, 999);
    expect(await useTokenId(store.db, token)).toBe(false);
    await purgeTokenIds(store.db, 1_000);
    expect(await useTokenId(store.db, token)).toBe(true);
  });
}
