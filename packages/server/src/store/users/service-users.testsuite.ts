/** Protects: a service user is at most what its owner is at this moment. */
import { expect, test } from "bun:test";
import { toKysely } from "../database/kysely.ts";
import { countActiveUsers } from "../tags/tag-reach.ts";
import { newToken, newUser } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { findEffectiveUser } from "./find-effective-user.ts";
import { insertToken } from "./tokens-table.ts";
import { insertUser, setUserTags, updateUser } from "./users-table.ts";

export function describeServiceUsers(stores: () => TestStores): void {
  async function open(role: "admin" | "user" = "user") {
    const { db, reads } = stores().store;
    const owner = await insertUser(
      db,
      newUser({ id: "owner", email: "o@example.com", role, tags: ["ops", "web"] }),
    );
    const own = {
      id: "robot",
      email: "r@example.com",
      role: "admin",
      tags: ["ops", "db"],
    } as const;
    const service = await insertUser(db, { ...newUser(own), service: { ownerId: owner.id } });
    const { tokenHash, ...token } = newToken(service.id, 1);
    await insertToken(db, { ...token, tokenHash });
    const see = async () => {
      const access = await reads.findUserAccess(service.id);
      const byToken = await reads.findTokenOwner(tokenHash);
      for (const member of ["role", "status", "ownerId", "kind"] as const) {
        expect(byToken?.[member] ?? null).toBe(access?.[member] ?? null);
      }
      expect(byToken?.tags.toSorted()).toEqual(access?.tags.toSorted());
      const { seen: _, ...known } = access ?? { tags: [] };
      const found = await findEffectiveUser(db, service.id);
      expect({ ...found, tags: found?.tags.toSorted() }).toEqual({
        ...known,
        tags: known.tags.toSorted(),
      } as never);
      return [access?.status, access?.role, access?.tags.toSorted().join(" ")];
    };
    return { db, see };
  }

  test("A service user has the tags that its owner has too, and follows the owner at once", async () => {
    const { db, see } = await open();
    const count = async () => Object.fromEntries(await countActiveUsers(db, ["db", "ops", "web"]));
    expect(await count()).toEqual({ ops: 2, web: 1 });
    expect(await see()).toEqual(["active", "user", "everyone ops"]);
    await setUserTags(db, "owner", ["web", "db"], 1);
    expect(await see()).toEqual(["active", "user", "db everyone"]);
    await setUserTags(db, "owner", [], 1);
    expect(await see()).toEqual(["active", "user", "everyone"]);
  });

  test("A service user is an admin while it and its owner are", async () => {
    const { db, see } = await open("admin");
    expect(await see()).toEqual(["active", "admin", "db everyone ops"]);
    await updateUser(db, "owner", { role: "user" }, 1);
    expect(await see()).toEqual(["active", "user", "everyone ops"]);
  });

  test("A service user stops with its owner, and without one", async () => {
    const { db, see } = await open();
    await updateUser(db, "owner", { status: "disabled" }, 1);
    expect((await see())[0]).toBe("disabled");
    await updateUser(db, "owner", { status: "active" }, 1);
    expect((await see())[0]).toBe("active");
    await updateUser(db, "robot", { status: "disabled" }, 1);
    expect((await see())[0]).toBe("disabled");
    await updateUser(db, "robot", { status: "active" }, 1);
    await toKysely(db)
      .updateTable("users")
      .set({ owned_by: null })
      .where("id", "=", "robot")
      .execute();
    expect((await see())[0]).toBe("disabled");
  });

  test("A service user that owns another one gives it nothing", async () => {
    const { db } = await open();
    const own = { id: "second", email: "s@example.com", role: "user", tags: ["ops"] } as const;
    await insertUser(db, { ...newUser(own), service: { ownerId: "robot" } });
    expect(await stores().store.reads.findUserAccess("second")).toMatchObject({
      status: "disabled",
    });
  });
}
