import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSessions } from "../../identity/browser-sessions.ts";
import { openSession } from "../../identity/testing/open-test-session.ts";
import { findPassword } from "../../store/users/passwords-table.ts";
import { actAs } from "../testing/act-as.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

test("A new user is active and named after the e-mail", async () => {
  const user = await hub.admin.users.add({ email: "Ada@Example.com", tags: ["Support"] });
  expect(user).toMatchObject({
    email: "ada@example.com",
    name: "ada",
    role: "user",
    status: "active",
    tags: ["support"],
  });
});

test("Every user has the reserved tag, which is not stored", async () => {
  const user = await hub.admin.users.add({ email: "everyone@example.com", tags: ["everyone"] });
  expect(user.tags).toEqual([]);
});

test("Two users cannot have the same e-mail, in any case", async () => {
  await hub.admin.users.add({ email: "twice@example.com" });
  await expect(hub.admin.users.add({ email: "TWICE@example.com" })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("is already a user"),
  });
});

test.each([
  "",
  "nobody",
  "a b@example.com",
  "@example.com",
  "a@\u0007b",
])("The e-mail address %j is refused", async (email) => {
  const added = hub.admin.users.add({ email });
  await expect(added).rejects.toThrow("email must be an email address");
});

test("A change of a user keeps the members that it does not name", async () => {
  await hub.admin.users.add({ email: "grace@example.com", name: "Grace", tags: ["a", "b"] });
  const changed = await hub.admin.users.set("grace@example.com", {
    role: "admin",
    addTags: ["c"],
    removeTags: ["a"],
  });
  expect(changed).toMatchObject({ name: "Grace", role: "admin", tags: ["b", "c"] });
  const replaced = await hub.admin.users.set("grace@example.com", { tags: [] });
  expect(replaced).toMatchObject({ name: "Grace", role: "admin", tags: [] });
});

test("Disabling and enabling a user change only the status", async () => {
  await hub.admin.users.add({ email: "off@example.com", tags: ["x"] });
  expect(await hub.admin.users.disable("off@example.com")).toMatchObject({
    status: "disabled",
    tags: ["x"],
  });
  expect((await hub.admin.users.enable("off@example.com")).status).toBe("active");
});

test("The API cannot remove the last active admin; the command line can", async () => {
  await using opened = await openTestServices().then((one) => ({
    ...one,
    [Symbol.asyncDispose]: one.close,
  }));
  const actor = {
    userId: "u",
    email: "a@example.com",
    tokenId: null,
    via: "session",
    ip: null,
  } as const;
  const remote = actAs(opened.deps, actor);
  await opened.admin.users.add({ email: "first@example.com", role: "admin" });
  await opened.admin.users.add({ email: "second@example.com", role: "admin" });
  await remote.users.disable("second@example.com");
  await expect(remote.users.disable("first@example.com")).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(remote.users.set("first@example.com", { role: "user" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await opened.admin.users.disable("first@example.com")).toMatchObject({
    status: "disabled",
  });
});

test("A new one-time password must be changed at sign-in and ends the user's sessions", async () => {
  const { db } = hub.deps.store;
  const { id, email } = await hub.admin.users.add({ email: "once@example.com" });
  const sessions = createSessions({ db, now: Date.now });
  await openSession({ db }, { userId: id });
  const made = await hub.admin.users.setOneTimePassword(email);
  const stored = await findPassword(db, id);
  expect(stored).toMatchObject({ mustChange: true });
  expect(await Bun.password.verify(made.one_time_password, stored?.hash ?? "")).toBeTrue();
  expect(await sessions.listOf(id)).toEqual([]);
});

test("The sessions of a disabled user end and do not come back", async () => {
  const { db } = hub.deps.store;
  const { id, email } = await hub.admin.users.add({ email: "out@example.com" });
  const sessions = createSessions({ db, now: Date.now });
  await openSession({ db }, { userId: id });
  await hub.admin.users.disable(email);
  await hub.admin.users.enable(email);
  expect(await sessions.listOf(id)).toEqual([]);
});

test("A user is found by id in any case; an unknown id is not found", async () => {
  const { id, email } = await hub.admin.users.add({ email: "case@example.com" });
  expect((await hub.admin.users.show(id.toUpperCase())).email).toBe(email);
  await expect(hub.admin.users.disable(crypto.randomUUID())).rejects.toMatchObject({
    code: "not_found",
  });
});

test.each([
  ["ada", "must be an email address"],
  ["a b@example.com", "must be an email address"],
  [`${"a".repeat(243)}@example.com`, "at most 254 characters"],
])("The e-mail address %s of a user is refused", async (email, says) => {
  await expect(hub.admin.users.add({ email })).rejects.toThrow(says);
});
