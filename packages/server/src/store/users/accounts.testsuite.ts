import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import {
  beatInstance,
  insertInstance,
  listInstances,
  removeInstances,
} from "../servers/instances.ts";
import { ensureTags, listTags } from "../tags/tags-table.ts";
import { newToken, newUser } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { hasActiveUser } from "./active-users.ts";
import { insertToken, listTokens, revokeToken, touchTokens } from "./tokens-table.ts";
import {
  findUserByEmail,
  findUserById,
  insertUser,
  listUsers,
  setUserTags,
  updateUser,
} from "./users-table.ts";

/** Users, tags, tokens and instances. */
export function describeAccounts(stores: () => TestStores): void {
  test("A user is found by id and by e-mail in any case, with sorted tags", async () => {
    const { db } = stores().store;
    const user = await insertUser(db, newUser({ email: " Ann@Example.COM", tags: ["Ops", "dev"] }));
    expect(user).toMatchObject({ email: "ann@example.com", tags: ["dev", "ops"] });
    expect(await findUserById(db, user.id)).toEqual(user);
    expect(await findUserByEmail(db, "ANN@example.com")).toEqual(user);
    expect(await findUserById(db, "nobody")).toBeNull();
    expect(await findUserByEmail(db, "nobody@example.com")).toBeNull();
  });

  test("A second user with the same e-mail is a conflict and changes nothing", async () => {
    const { db } = stores().store;
    const user = await insertUser(db, newUser());
    const again = insertUser(db, newUser({ email: "ANN@example.com", tags: ["new-tag"] }));
    await expect(again).rejects.toMatchObject({ code: "conflict" });
    expect(await listUsers(db)).toEqual([user]);
    expect(await listTags(db)).toEqual(["everyone"]);
  });

  test("Users are listed by e-mail, each once, with any number of tags", async () => {
    const { db } = stores().store;
    await insertUser(db, newUser({ email: "zoe@example.com", tags: ["a", "b", "c"] }));
    await insertUser(db, newUser({ email: "bob@example.com" }));
    const listed = (await listUsers(db)).map(({ email, tags }) => ({ email, tags }));
    expect(listed).toEqual([
      { email: "bob@example.com", tags: [] },
      { email: "zoe@example.com", tags: ["a", "b", "c"] },
    ]);
  });

  test("A change of a user affects only the members that it names", async () => {
    const { db } = stores().store;
    const user = await insertUser(db, newUser({ tags: ["ops"] }));
    const changed = await updateUser(
      db,
      user.id,
      { status: "disabled", role: "admin" },
      Date.now(),
    );
    expect(changed).toEqual({ ...user, status: "disabled", role: "admin" });
    expect(await updateUser(db, "nobody", { name: "x" }, Date.now())).toBeNull();
  });

  test("Setting a user's tags replaces all of them", async () => {
    const { db } = stores().store;
    const { id } = await insertUser(db, newUser({ tags: ["ops", "dev"] }));
    expect(await setUserTags(db, id, ["Dev", "dev", "sales"], Date.now())).toBe(true);
    expect((await findUserById(db, id))?.tags).toEqual(["dev", "sales"]);
    expect(await setUserTags(db, "nobody", ["dev"], Date.now())).toBe(false);
  });

  test("A change stores the ids and times that it is given, so that it can run again", async () => {
    const { store } = stores();
    const user = newUser({ createdAt: 1_000 });
    const token = newToken(user.id, 1, { createdAt: 2_000 });
    const stopped = transaction(store.db, async (trx) => {
      await insertUser(trx, { ...user, tags: ["ops"] });
      throw new Error("stopped");
    });
    await expect(stopped).rejects.toThrow("stopped");
    expect(await insertUser(store.db, { ...user, tags: ["ops"] })).toMatchObject({
      id: user.id,
      createdAt: 1_000,
    });
    expect(await insertToken(store.db, token)).toMatchObject({ id: token.id, createdAt: 2_000 });
    await revokeToken(store.db, token.id, 3_000);
    expect(await listTokens(store.db)).toMatchObject([{ revokedAt: 3_000 }]);
  });

  test("A new tag has the same id in every database", async () => {
    const { store } = stores();
    const stopped = transaction(store.db, async (trx) => {
      throw Object.assign(new Error("stopped"), { tags: await ensureTags(trx, ["ops"], 1) });
    });
    const { tags } = await stopped.then(
      () => expect.unreachable(),
      (err: { tags: Awaited<ReturnType<typeof ensureTags>> }) => err,
    );
    expect(await ensureTags(store.db, ["ops"], 2)).toEqual(tags);
    expect(await ensureTags(store.db, ["ops"], 3)).toEqual(tags);
  });

  test("The tag everyone always exists and is never stored for a user", async () => {
    const { db } = stores().store;
    expect(await listTags(db)).toEqual(["everyone"]);
    const user = await insertUser(db, newUser({ tags: ["everyone", "ops"] }));
    expect(user.tags).toEqual(["ops"]);
    expect((await findUserById(db, user.id))?.tags).toEqual(["ops"]);
  });

  test("An invalid tag name is refused with its whole change", async () => {
    const { db } = stores().store;
    for (const name of ["", "a b", "-a", "ä", "a,b", "a".repeat(65)]) {
      await expect(ensureTags(db, ["fine", name], Date.now())).rejects.toMatchObject({
        code: "bad_request",
      });
    }
    expect(await listTags(db)).toEqual(["everyone"]);
    await ensureTags(db, ["9:a_b.c-d", "a".repeat(64)], Date.now());
    expect(await listTags(db)).toHaveLength(3);
  });

  test("Tokens are listed oldest first, for one user or for all", async () => {
    const { db } = stores().store;
    const ann = await insertUser(db, newUser());
    const bob = await insertUser(db, newUser({ email: "bob@example.com" }));
    const first = await insertToken(db, newToken(ann.id, 1, { expiresAt: 99 }));
    const second = await insertToken(db, newToken(bob.id, 2));
    expect(first).toMatchObject({
      userId: ann.id,
      name: "laptop",
      lastFour: "abcd",
      expiresAt: 99,
    });
    expect(first).toMatchObject({ lastUsedAt: null, revokedAt: null });
    expect(await listTokens(db, { userId: ann.id })).toEqual([first]);
    expect((await listTokens(db)).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
  });

  test("A token is revoked once", async () => {
    const { db } = stores().store;
    const user = await insertUser(db, newUser());
    const { id } = await insertToken(db, newToken(user.id, 1));
    expect(await revokeToken(db, id, Date.now())).toBe(true);
    const [revoked] = await listTokens(db);
    expect(revoked?.revokedAt).toBeNumber();
    expect(await revokeToken(db, id, Date.now())).toBe(false);
    expect(await revokeToken(db, "none", Date.now())).toBe(false);
  });

  test("The last use of a token only moves forward", async () => {
    const { db } = stores().store;
    const user = await insertUser(db, newUser());
    const { id } = await insertToken(db, newToken(user.id, 1));
    await touchTokens(db, []);
    await touchTokens(db, [{ id, at: 200 }]);
    await touchTokens(db, [
      { id, at: 100 },
      { id: "gone", at: 300 },
    ]);
    expect(await listTokens(db)).toMatchObject([{ lastUsedAt: 200 }]);
  });

  test("The owner of a token is the current one, with revoked tokens and disabled users", async () => {
    const { db, reads } = stores().store;
    const user = await insertUser(db, newUser({ tags: ["ops", "dev"] }));
    const token = newToken(user.id, 7, { expiresAt: 5_000 });
    const { id } = await insertToken(db, token);
    const owner = await reads.findTokenOwner(token.tokenHash);
    expect({ ...withoutSeen(owner), tags: owner?.tags.toSorted() }).toEqual({
      scope: "mcp",
      tokenId: id,
      expiresAt: 5_000,
      revokedAt: null,
      userId: user.id,
      email: "ann@example.com",
      name: "Ann",
      role: "user",
      status: "active",
      tags: ["dev", "everyone", "ops"],
      kind: "person",
      ownerId: null,
      bounds: null,
    });
    await updateUser(db, user.id, { status: "disabled" }, Date.now());
    await setUserTags(db, user.id, [], Date.now());
    await revokeToken(db, id, Date.now());
    const later = await reads.findTokenOwner(token.tokenHash);
    // A database may leave it to the caller to read the revision.
    if (later?.seen) expect(later.seen.revision).toBe(await reads.readRevision());
    expect(later).toMatchObject({ status: "disabled", tags: ["everyone"] });
    expect(later?.revokedAt).toBeNumber();
    expect(await reads.findTokenOwner(new Uint8Array(32).fill(8))).toBeNull();
  });

  test("The access of a user is the current one", async () => {
    const { db, reads } = stores().store;
    const user = await insertUser(db, newUser({ role: "admin", tags: ["ops"] }));
    expect(withoutSeen(await reads.findUserAccess(user.id))).toEqual({
      userId: user.id,
      email: "ann@example.com",
      name: "Ann",
      role: "admin",
      status: "active",
      tags: ["ops", "everyone"],
      kind: "person",
      ownerId: null,
    });
    await updateUser(db, user.id, { status: "disabled" }, Date.now());
    expect(await reads.findUserAccess(user.id)).toMatchObject({ status: "disabled" });
    expect(await reads.findUserAccess("nobody")).toBeNull();
  });

  test("An instance writes heartbeats until it is removed", async () => {
    const { db } = stores().store;
    const instance = { id: "i-1", kind: "serve" as const, pid: 42, hostname: "box", startedAt: 10 };
    await insertInstance(db, instance);
    const nowhere = { localUrl: null, baseUrl: null, version: "", clockOffsetMs: 0 };
    expect(await listInstances(db)).toEqual([{ ...instance, ...nowhere, heartbeatAt: 10 }]);
    expect(await beatInstance(db, "i-1", 20, -7)).toBe(true);
    const beaten = { ...instance, ...nowhere, heartbeatAt: 20, clockOffsetMs: -7 };
    expect(await listInstances(db)).toEqual([beaten]);
    await removeInstances(db, ["i-1"]);
    expect(await listInstances(db)).toEqual([]);
    expect(await beatInstance(db, "i-1", 30)).toBe(false);
  });

  test("Active users are found by tag and by e-mail", async () => {
    const { db } = stores().store;
    const made = await insertUser(db, newUser({ email: "ann@example.com", tags: ["ops"] }));
    const has = (tags: string[], users: string[] = []) => hasActiveUser(db, { tags, users });
    expect(await has(["ops"])).toBeTrue();
    expect(await has(["everyone"])).toBeTrue();
    expect(await has([], ["Ann@example.com"])).toBeTrue();
    expect(await has(["other"], ["bob@example.com"])).toBeFalse();
    await updateUser(db, made.id, { status: "disabled" }, 1);
    expect(await has(["ops", "everyone"], ["ann@example.com"])).toBeFalse();
  });
}

function withoutSeen<T extends { seen?: unknown }>(access: T | null): Omit<T, "seen"> | null {
  if (access === null) return null;
  const { seen: _seen, ...rest } = access;
  return rest;
}
