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
