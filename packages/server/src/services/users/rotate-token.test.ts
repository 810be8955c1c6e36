import { afterAll, beforeAll, expect, test } from "bun:test";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import { expireToken } from "../../store/users/tokens-table.ts";
import { addServiceUser, createServiceToken } from "../machines/manage-service-users.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { rotateToken } from "./rotate-token.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

const hourMs = 3_600_000;
const isNear = (time: string | null, epochMs: number) =>
  expect(Math.abs(Date.parse(time ?? "") - epochMs)).toBeLessThan(5 * 60_000);

let users = 0;
async function addToken(given: { scope?: "mcp" | "manage"; expiresInDays?: number } = {}) {
  users += 1;
  const user = `user-${users}@example.com`;
  await hub.admin.users.add({ email: user });
  return { user, old: await hub.admin.tokens.create({ user, name: "ci", ...given }) };
}

test("The new token has the name, scope and lifetime of the old one, which stays valid for a day", async () => {
  const { user, old } = await addToken({ scope: "manage", expiresInDays: 90 });
  const made = await hub.admin.tokens.rotate(old.id, { user });
  expect(made).toMatchObject({ user, name: "ci", scope: "manage", revoked_at: null });
  expect(made.token).not.toBe(old.token);
  isNear(made.expires_at, Date.now() + 90 * 24 * hourMs);
  expect(made.replaced).toMatchObject({ id: old.id, revoked_at: null });
  isNear(made.replaced.expires_at, Date.now() + 24 * hourMs);
  const owners = [made, old].map(({ token }) =>
    hub.deps.store.reads.findTokenOwner(hashToken(token)),
  );
  expect((await Promise.all(owners)).map((owner) => owner?.tokenId)).toEqual([made.id, old.id]);
});

test("Without overlap the old token ends at once, and one without expiry is replaced by such a one", async () => {
  const { old } = await addToken();
  const made = await hub.admin.tokens.rotate(old.id, { overlapHours: 0 });
  expect([made.expires_at, made.replaced.expires_at]).toEqual([null, null]);
  expect(made.replaced.revoked_at).not.toBeNull();
});

test("A token with bounds, or of a service user, lives no longer than the hub allows now", async () => {
  const { user } = await addToken();
  const ann = await hub.admin.users.show(user);
  const robot = await addServiceUser(hub.deps, commandLineActor, { name: "bot", owner: ann.id });
  const bounds = { rows: [crypto.randomUUID()] };
  const limited = [
    await hub.admin.tokens.create({ user, name: "bound", bounds, expiresInDays: 90 }),
    await createServiceToken(hub.deps, commandLineActor, robot.id, {
      name: "ci",
      expiresInDays: 90,
    }),
  ];
  const deps = { ...hub.deps, config: { ...hub.deps.config, boundTokenDaysMax: 7 } };
  for (const { id } of limited) {
    const made = await rotateToken(deps, commandLineActor, id);
    isNear(made.expires_at, Date.now() + 7 * 24 * hourMs);
    const again = await rotateToken(hub.deps, commandLineActor, made.id);
    isNear(again.expires_at, Date.now() + 7 * 24 * hourMs);
  }
  const plain = await hub.admin.tokens.create({ user, name: "plain", expiresInDays: 90 });
  const made = await rotateToken(deps, commandLineActor, plain.id);
  isNear(made.expires_at, Date.now() + 90 * 24 * hourMs);
});

test("An overlap never makes the old token valid for longer", async () => {
  const { old } = await addToken({ expiresInDays: 1 });
  const made = await hub.admin.tokens.rotate(old.id, { overlapHours: 720 });
  expect(made.replaced.expires_at).toBe(old.expires_at);
});

test("A token that has ended is not rotated", async () => {
  const { user, old } = await addToken();
  await hub.admin.tokens.revoke(old.id);
  await expect(hub.admin.tokens.rotate(old.id)).rejects.toThrow('The token "ci" is revoked');
  const late = await hub.admin.tokens.create({ user, name: "late", expiresInDays: 1 });
  await expireToken(hub.deps.store.db, late.id, Date.now() - 1);
  await expect(hub.admin.tokens.rotate(late.id)).rejects.toThrow("has expired");
  expect(await hub.admin.tokens.list({ user })).toHaveLength(2);
});

test("Users rotate only their own tokens, and two rotations at once make one token", async () => {
  const { user, old } = await addToken();
  const other = await addToken();
  await expect(hub.admin.tokens.rotate(old.id, { user: other.user })).rejects.toMatchObject({
    code: "not_found",
    message: "You have no such token.",
  });
  const rotate = () => hub.admin.tokens.rotate(old.id, { overlapHours: 0 });
  const made = await Promise.allSettled([rotate(), rotate()]);
  expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await hub.admin.tokens.list({ user })).toHaveLength(2);
});

test("At the limit of 50 tokens one is replaced at once, and not with an overlap", async () => {
  const { user, old } = await addToken();
  const fill = () => hub.admin.tokens.create({ user, name: "one of many" });
  for (let count = 1; count < 50; count += 1) await fill();
  await expect(hub.admin.tokens.rotate(old.id)).rejects.toThrow("has 50 active tokens");
  // What failed has changed nothing.
  const made = await hub.admin.tokens.rotate(old.id, { overlapHours: 0 });
  expect(made.expires_at).toBeNull();
});

test.each([
  [-1, "must be at least 0"],
  [721, "must be at most 720"],
  [0.5, "must be a whole number of hours"],
])("An overlap of %d hours is refused", async (overlapHours, says) => {
  const { old } = await addToken();
  await expect(hub.admin.tokens.rotate(old.id, { overlapHours })).rejects.toThrow(says);
});
