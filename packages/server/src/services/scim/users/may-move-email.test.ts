/** Protects: a stolen SCIM token hands no user with rights to another person. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandLineActor } from "../../../identity/local-admin.ts";
import { transaction } from "../../../store/database/database.ts";
import { insertOAuthGrant } from "../../../store/oauth/oauth-grants.ts";
import { newUser } from "../../../store/test-data.ts";
import { insertIdentity } from "../../../store/users/identities-table.ts";
import { insertUser } from "../../../store/users/users-table.ts";
import { addServiceUser } from "../../machines/manage-service-users.ts";
import { openTestServices } from "../../testing/open-test-services.ts";
import { createToken, revokeToken } from "../../users/manage-tokens.ts";
import { mayMoveEmail } from "./may-move-email.ts";

const issuer = "https://id.example.com";
let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

const make = (given: Parameters<typeof newUser>[0] = {}) =>
  insertUser(
    hub.deps.store.db,
    newUser({ email: `${crypto.randomUUID()}@example.com`, origin: "scim", ...given }),
  );
type Made = Awaited<ReturnType<typeof make>>;
const ask = (user: Made, present: string | null = issuer) =>
  transaction(hub.deps.store.db, (trx) => mayMoveEmail(trx, user, present));
const link = (user: Made, by: string) =>
  insertIdentity(hub.deps.store.db, {
    id: crypto.randomUUID(),
    userId: user.id,
    issuer: by,
    subject: user.id,
    email: user.email,
    createdAt: 1,
    lastUsedAt: 1,
  });

test("A user whom SCIM made, and who has nothing, may get another e-mail", async () => {
  const user = await make();
  expect([await ask(user), await ask(user, null)]).toEqual([true, true]);
});

test("A user whom SCIM did not make needs an account of the present issuer", async () => {
  const user = await make({ origin: "sso" });
  await link(user, "https://former.example.com");
  expect([await ask(user), await ask(user, null)]).toEqual([false, false]);
  await link(user, issuer);
  expect(await ask(user)).toBe(true);
});

test("An admin keeps the e-mail, also with an account of the present issuer", async () => {
  const user = await make({ role: "admin" });
  await link(user, issuer);
  expect(await ask(user)).toBe(false);
});

test("A tag given by hand, a token, an application and a service user keep the e-mail", async () => {
  expect(await ask(await make({ tags: ["ops"] }))).toBe(false);
  const user = await make();
  const { id } = await createToken(hub.deps, commandLineActor, user.id, { name: "x" });
  expect(await ask(user)).toBe(false);
  await revokeToken(hub.deps, commandLineActor, id);
  expect(await ask(user)).toBe(true);
  const owner = await make();
  await addServiceUser(hub.deps, commandLineActor, { name: "bot", owner: owner.id });
  expect(await ask(owner)).toBe(false);
  const granted = await make();
  await insertOAuthGrant(hub.deps.store.db, {
    id: crypto.randomUUID(),
    userId: granted.id,
    clientId: "desk",
    clientName: "Desk",
    redirectUri: "http://127.0.0.1:4000/callback",
    scope: "mcp",
    resource: "http://127.0.0.1/mcp",
    createdAt: 1,
    expiresAt: Date.now() + 3_600_000,
  });
  expect(await ask(granted)).toBe(false);
});
