import { afterAll, beforeAll, expect, test } from "bun:test";
import { insertOAuthAccessToken } from "../../store/oauth/oauth-access-tokens.ts";
import { insertOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { findUserByEmail } from "../../store/users/users-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
  await hub.admin.users.add({ email: "ada@example.com" });
  await hub.admin.users.add({ email: "bob@example.com" });
});
afterAll(() => hub.close());

const hourMs = 3_600_000;

/** Stores the data of a consent and a first token. */
async function connect(email: string, { expiresInMs = hourMs } = {}) {
  const { store, now } = hub.deps;
  const id = crypto.randomUUID();
  const userId = (await findUserByEmail(store.db, email))?.id ?? "";
  const times = { createdAt: now(), expiresAt: now() + expiresInMs };
  const access = { clientId: "c1", scope: "mcp", resource: "http://hub.test/mcp", ...times };
  await insertOAuthGrant(store.db, {
    id,
    userId,
    clientName: "Desk",
    redirectUri: "http://127.0.0.1:4000/cb",
    ...access,
  });
  const tokenHash = crypto.getRandomValues(new Uint8Array(32));
  await insertOAuthAccessToken(store.db, { tokenHash, grantId: id, userId, ...access });
  const isAlive = async () => (await store.reads.findOAuthTokenOwner(tokenHash)) !== null;
  return { id, isAlive };
}

test("An application is listed for its user, with its destination", async () => {
  const { id } = await connect("ada@example.com");
  const mine = await hub.admin.applications.list({ user: "ada@example.com" });
  expect(mine).toContainEqual(
    expect.objectContaining({
      id,
      user: "ada@example.com",
      name: "Desk",
      destination: "the user's computer",
      last_used_at: null,
    }),
  );
  const others = await hub.admin.applications.list({ user: "bob@example.com" });
  expect(others.map((application) => application.id)).not.toContain(id);
});

test("Revoking an application deletes it and its tokens, and is recorded", async () => {
  const { id, isAlive } = await connect("ada@example.com");
  expect(await isAlive()).toBe(true);
  expect(await hub.admin.applications.revoke(id)).toMatchObject({ id });
  expect(await isAlive()).toBe(false);
  const ids = (await hub.admin.applications.list()).map((application) => application.id);
  expect(ids).not.toContain(id);
  const [change] = await hub.admin.changes.list({ targetId: id });
  expect(change).toMatchObject({ action: "application.revoke", target: "Desk" });
});

test("A user cannot revoke another user's application", async () => {
  const { id, isAlive } = await connect("ada@example.com");
  const revoked = hub.admin.applications.revoke(id, { user: "bob@example.com" });
  await expect(revoked).rejects.toThrow("There is no connected application");
  expect(await isAlive()).toBe(true);
});

test("An expired application is not listed", async () => {
  const { id } = await connect("bob@example.com", { expiresInMs: -1 });
  const ids = (await hub.admin.applications.list()).map((application) => application.id);
  expect(ids).not.toContain(id);
});
