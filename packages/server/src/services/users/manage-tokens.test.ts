import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { findTokenByText } from "./manage-tokens.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
  await hub.admin.users.add({ email: "ada@example.com" });
});
afterAll(() => hub.close());

test("A token is returned when it is created, and stored only as a hash", async () => {
  const created = await hub.admin.tokens.create({ user: "ada@example.com", name: "laptop" });
  expect(created.token).toMatch(/^hub_pat_[0-9a-f]{32}$/);
  expect(created).toMatchObject({ user: "ada@example.com", name: "laptop", expires_at: null });

  const owner = await hub.deps.store.reads.findTokenOwner(hashToken(created.token));
  expect(owner?.tokenId).toBe(created.id);
  const listed = await hub.admin.tokens.list();
  expect(JSON.stringify(listed)).not.toContain(created.token.slice("hub_pat_".length));
  expect(listed[0]?.last_four).toBe(created.token.slice(-4));
});

test("A token is found by its text, also when it is revoked, and another text is not", async () => {
  const created = await hub.admin.tokens.create({ user: "ada@example.com", name: "found" });
  const { token, ...record } = created;
  expect(await findTokenByText(hub.deps, token)).toEqual(record);
  const revoked = await hub.admin.tokens.revoke(created.id);
  expect(await findTokenByText(hub.deps, token)).toEqual(revoked);
  expect(await findTokenByText(hub.deps, "hub_pat_unknown")).toBeNull();
});

test("A token can have an expiry time", async () => {
  const created = await hub.admin.tokens.create({
    user: "ada@example.com",
    name: "short",
    expiresInDays: 1,
  });
  const lifeMs = Date.parse(created.expires_at ?? "") - Date.parse(created.created_at);
  expect(Math.round(lifeMs / 3_600_000)).toBe(24);
});

test("A token is revoked by its id and stays listed as revoked", async () => {
  const { id } = await hub.admin.tokens.create({ user: "ada@example.com", name: "old" });
  expect((await hub.admin.tokens.revoke(id)).revoked_at).not.toBeNull();
  const listed = await hub.admin.tokens.list({ user: "ada@example.com" });
  expect(listed.find((token) => token.id === id)?.revoked_at).not.toBeNull();
});

test("A token is revoked only by its full id, and only by its owner or an admin", async () => {
  const { id } = await hub.admin.tokens.create({ user: "ada@example.com", name: "kept" });
  const { id: other } = await hub.admin.users.add({ email: "eve@example.com" });
  await expect(hub.admin.tokens.revoke(id.slice(0, 8))).rejects.toThrow("There is no token");
  await expect(hub.admin.tokens.revoke(id, { user: other })).rejects.toThrow("You have no such");
  expect((await hub.admin.tokens.revoke(id, { user: "ada@example.com" })).id).toBe(id);
});

test("A disabled user cannot get a token", async () => {
  await hub.admin.users.add({ email: "off@example.com" });
  await hub.admin.users.disable("off@example.com");
  const created = hub.admin.tokens.create({ user: "off@example.com", name: "x" });
  await expect(created).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("Enable the user first"),
  });
});

describe("a token's scope", () => {
  const create = (given: object = {}) =>
    hub.admin.tokens.create({ user: "ada@example.com", name: "scoped", ...given });

  test("The default scope of a token is mcp, and lists show the scope", async () => {
    const { id, scope } = await create();
    const managing = await create({ scope: "manage" });
    expect([scope, managing.scope]).toEqual(["mcp", "manage"]);
    const listed = await hub.admin.tokens.list({ user: "ada@example.com" });
    expect(listed.find((token) => token.id === id)?.scope).toBe("mcp");
  });

  test("A token scope other than mcp and manage is refused by name", async () => {
    await expect(create({ scope: "admin" })).rejects.toThrow('scope must be "mcp" or "manage"');
  });

  test("The record of changes names the scope of a new token", async () => {
    const { id } = await create({ scope: "manage" });
    const [change] = await hub.admin.changes.list({ limit: 1 });
    expect(change).toMatchObject({ target_id: id, detail: { scope: "manage" } });
  });
});

describe("a user's tokens", () => {
  const create = (user: string, given: object = {}) =>
    hub.admin.tokens.create({ user, name: "one of many", ...given });

  test("A user has at most 50 active tokens; revoked and expired ones do not count", async () => {
    const user = "many@example.com";
    await hub.admin.users.add({ email: user });
    const made = [];
    for (let count = 0; count < 50; count += 1) made.push(await create(user));
    await expect(create(user)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("Revoke one"),
    });
    await hub.admin.tokens.revoke(made[0]?.id ?? "");
    const { id } = await create(user, { expiresInDays: 1 });
    await expect(create(user)).rejects.toThrow("has 50 active tokens");
    const expire = "update personal_access_tokens set expires_at = ? where id = ?";
    await runSql(hub.deps.store.db, expire, Date.now(), id);
    await create(user);
    // Each user has a separate limit.
    await create("ada@example.com");
  });

  test("Endless creation and revocation cannot fill the table: 50 ended tokens are kept (attack)", async () => {
    const user = "endless@example.com";
    await hub.admin.users.add({ email: user });
    const lasting = await create(user);
    const made = [];
    for (let count = 0; count < 60; count += 1) {
      const token = await create(user);
      made.push(token.id);
      await hub.admin.tokens.revoke(token.id);
    }
    const last = await create(user);
    const ids = (await hub.admin.tokens.list({ user })).map(({ id }) => id);
    expect(ids).toHaveLength(52);
    expect(ids).toEqual(expect.arrayContaining([lasting.id, last.id]));
    expect(ids).not.toContain(made[0]);
  });

  test("Concurrent requests cannot exceed the limit of 50 tokens", async () => {
    const user = "hasty@example.com";
    await hub.admin.users.add({ email: user });
    await Promise.allSettled(Array.from({ length: 60 }, () => create(user)));
    expect(await hub.admin.tokens.list({ user })).toHaveLength(50);
  });
});

test.each([
  [0, "must be at least 1"],
  [3651, "must be at most 3650"],
  [1.5, "must be a whole number of days"],
])("A token lifetime of %d days is refused", async (expiresInDays, says) => {
  const { email } = await hub.admin.users.add({ email: `days-${expiresInDays}@example.com` });
  const create = (days: number) =>
    hub.admin.tokens.create({ user: email, name: "laptop", expiresInDays: days });
  await expect(create(expiresInDays)).rejects.toThrow(says);
  expect((await create(3650)).expires_at).not.toBeNull();
});
