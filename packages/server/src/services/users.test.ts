import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSessions } from "../identity/sessions.ts";
import { findPassword } from "../store/passwords.ts";
import { createManager } from "./create-manager.ts";
import { openTestManager } from "./testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestManager>>;
beforeAll(async () => {
  hub = await openTestManager();
});
afterAll(() => hub.close());

test("a new user is active, and named after the email", async () => {
  const user = await hub.manager.users.add({ email: "Ada@Example.com", tags: ["Support"] });
  expect(user).toMatchObject({
    email: "ada@example.com",
    name: "ada",
    role: "user",
    status: "active",
    tags: ["support"],
  });
});

test("the reserved tag is every user's and is not stored", async () => {
  const user = await hub.manager.users.add({ email: "everyone@example.com", tags: ["everyone"] });
  expect(user.tags).toEqual([]);
});

test("an email is taken once, in whatever case", async () => {
  await hub.manager.users.add({ email: "twice@example.com" });
  await expect(hub.manager.users.add({ email: "TWICE@example.com" })).rejects.toThrow(
    "is a user already",
  );
});

test.each([
  "",
  "nobody",
  "a b@example.com",
  "@example.com",
  "a@\u0007b",
])("%j is no email", async (email) => {
  const added = hub.manager.users.add({ email });
  await expect(added).rejects.toThrow("email must be an email address");
});

test("a change leaves what it does not name", async () => {
  await hub.manager.users.add({ email: "grace@example.com", name: "Grace", tags: ["a", "b"] });
  const changed = await hub.manager.users.set("grace@example.com", {
    role: "admin",
    addTags: ["c"],
    removeTags: ["a"],
  });
  expect(changed).toMatchObject({ name: "Grace", role: "admin", tags: ["b", "c"] });
  const replaced = await hub.manager.users.set("grace@example.com", { tags: [] });
  expect(replaced).toMatchObject({ name: "Grace", role: "admin", tags: [] });
});

test("an unknown email is told with the one it resembles", async () => {
  await hub.manager.users.add({ email: "linus@example.com" });
  await expect(hub.manager.users.disable("linsu@example.com")).rejects.toThrow(
    'There is no user "linsu@example.com". Did you mean "linus@example.com"?',
  );
});

test("disabling and enabling change the status only", async () => {
  await hub.manager.users.add({ email: "off@example.com", tags: ["x"] });
  expect(await hub.manager.users.disable("off@example.com")).toMatchObject({
    status: "disabled",
    tags: ["x"],
  });
  expect((await hub.manager.users.enable("off@example.com")).status).toBe("active");
});

test("over the API the last active admin stays one; at the command line nobody is locked out", async () => {
  await using opened = await openTestManager().then((one) => ({
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
  const remote = createManager({ ...opened.deps, actor });
  await opened.manager.users.add({ email: "first@example.com", role: "admin" });
  await opened.manager.users.add({ email: "second@example.com", role: "admin" });
  await remote.users.disable("second@example.com");
  await expect(remote.users.disable("first@example.com")).rejects.toMatchObject({
    code: "conflict",
  });
  await expect(remote.users.set("first@example.com", { role: "user" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect(await opened.manager.users.disable("first@example.com")).toMatchObject({
    status: "disabled",
  });
});

test("a one-time password has to be changed at sign-in, and ends the user's sessions", async () => {
  const { db } = hub.deps.store;
  const { id, email } = await hub.manager.users.add({ email: "once@example.com" });
  const sessions = createSessions({ db, now: Date.now });
  await sessions.open({ userId: id, ipAddress: null, userAgent: null });
  const made = await hub.manager.users.setOneTimePassword(email);
  const stored = await findPassword(db, id);
  expect(stored).toMatchObject({ mustChange: true });
  expect(await Bun.password.verify(made.one_time_password, stored?.hash ?? "")).toBeTrue();
  expect(await sessions.listOf(id)).toEqual([]);
});

test("a disabled user's sessions end, and do not come back", async () => {
  const { db } = hub.deps.store;
  const { id, email } = await hub.manager.users.add({ email: "out@example.com" });
  const sessions = createSessions({ db, now: Date.now });
  await sessions.open({ userId: id, ipAddress: null, userAgent: null });
  await hub.manager.users.disable(email);
  await hub.manager.users.enable(email);
  expect(await sessions.listOf(id)).toEqual([]);
});

test("a user is named by e-mail in whatever case and with blanks around it, or is not found", async () => {
  await hub.manager.users.add({ email: "case@example.com" });
  expect((await hub.manager.users.show("  CASE@example.com\t")).email).toBe("case@example.com");
  await expect(hub.manager.users.show("nobody@example.org")).rejects.toMatchObject({
    code: "not_found",
  });
});

test.each([
  ["ada", "must be an email address"],
  ["a b@example.com", "must be an email address"],
  [`${"a".repeat(243)}@example.com`, "at most 254 characters"],
])("%s is no e-mail of a user", async (email, says) => {
  await expect(hub.manager.users.add({ email })).rejects.toThrow(says);
});
