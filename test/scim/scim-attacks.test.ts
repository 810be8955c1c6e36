/**
 * Protects: the thief of a SCIM client's token takes over no local user, no admin and no identity, locks no admin out, revives
 * nothing, opens no other door, and cannot make the hub slow.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { giveUser } from "@hub/server/services/scim/give-user.ts";
import {
  removeScimClient,
  rotateScimToken,
} from "@hub/server/services/scim/manage-scim-clients.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import { insertIdentity } from "@hub/server/store/users/identities-table.ts";
import { setPassword } from "@hub/server/store/users/passwords-table.ts";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { openScimClient, type ScimClient, setGroupLines, toSender } from "./scim-client.ts";

setDefaultTimeout(180_000);

const issuer = "https://id.example.com";
let hub: ApiHub;
let client: ScimClient;
beforeAll(async () => {
  hub = await openApiHub({
    HUB_TRUSTED_PROXIES: "127.0.0.1",
    HUB_OIDC_ISSUER: issuer,
    HUB_OIDC_CLIENT_ID: "hub",
  });
  client = await openScimClient(hub, { name: "Stolen", issuer });
});
afterAll(() => hub[Symbol.asyncDispose]());

const newName = () => `${crypto.randomUUID()}@example.com`;
const disable = { op: "replace", path: "active", value: false };
const enable = { op: "replace", path: "active", value: true };
const show = (email: string) => hub.admin.users.show(email);
const isAccepted = async (headers: Record<string, string>) =>
  (await hub.request("GET", "/profile/api/me", { headers })).status === 200;

describe("users of others", () => {
  test("A local user is neither seen nor changed, and its e-mail is taken", async () => {
    const local = await hub.addUser(newName(), { tags: ["ops"] });
    const { id, email } = local.user;
    for (const [method, body] of [
      ["GET"],
      ["PUT", { userName: email, active: false }],
      ["DELETE"],
    ] as const) {
      expect((await client.send(method, `/Users/${id}`, body)).status).toBe(404);
    }
    expect((await client.patch(`/Users/${id}`, disable)).status).toBe(404);
    const made = await client.send("POST", "/Users", { userName: email });
    expect(made.body).toMatchObject({ status: "409", scimType: "uniqueness" });
    const own = await client.addUser(newName());
    const renamed = await client.patch(`/Users/${own}`, {
      op: "replace",
      path: "userName",
      value: email.toUpperCase(),
    });
    expect(renamed.body).toMatchObject({ status: "409", scimType: "uniqueness" });
    const group = await client.send("POST", "/Groups", {
      displayName: newName(),
      members: [{ value: id }],
    });
    expect(group.body.scimType).toBe("invalidValue");
    expect(await show(email)).toMatchObject({ status: "active", tags: ["ops"] });
    expect(await isAccepted(local.headers)).toBe(true);
  });

  test("A user of the issuer is taken over, but not one with a password or of another client", async () => {
    const [free, local, other] = await Promise.all([0, 1, 2].map(() => hub.addUser(newName())));
    if (free === undefined || local === undefined || other === undefined) expect.unreachable();
    for (const { user } of [free, local, other]) await hub.addIdentity(user.id);
    const password = { hash: "any", mustChange: false };
    await transaction(hub.store.db, (trx) => setPassword(trx, local.user.id, password, 1));
    const second = await openScimClient(hub, { name: "Second", issuer });
    await second.patch(`/Users/${other.user.id}`, {
      op: "add",
      path: "displayName",
      value: "Other",
    });
    const find = async (email: string) =>
      (await client.send("GET", `/Users?filter=${encodeURIComponent(`userName eq "${email}"`)}`))
        .body;
    expect((await find(free.user.email)).Resources).toMatchObject([{ id: free.user.id }]);
    expect((await find(local.user.email)).totalResults).toBe(0);
    expect((await find(other.user.email)).totalResults).toBe(0);
    expect((await client.patch(`/Users/${local.user.id}`, disable)).status).toBe(404);
    expect((await client.patch(`/Users/${other.user.id}`, disable)).status).toBe(404);
    const { status, body } = await client.send("POST", "/Users", {
      userName: free.user.email.toUpperCase(),
    });
    expect([status, body.id]).toEqual([201, free.user.id]);
    expect((await client.patch(`/Users/${free.user.id}`, disable)).status).toBe(200);
    const strange = await openScimClient(hub, { name: "No issuer" });
    expect((await strange.send("GET", "/Users")).body.totalResults).toBe(0);
  });

  test("A user who got a password is changed no more", async () => {
    const userName = newName();
    const id = await client.addUser(userName);
    await transaction(hub.store.db, (trx) =>
      setPassword(trx, id, { hash: "any", mustChange: false }, 1),
    );
    for (const sent of [
      await client.patch(`/Users/${id}`, disable),
      await client.send("DELETE", `/Users/${id}`),
    ]) {
      expect(sent.body).toMatchObject({
        status: "403",
        detail: expect.stringContaining("password"),
      });
    }
    expect((await show(userName)).status).toBe("active");
  });
});

describe("rights", () => {
  test("The e-mail of an admin, and of a user with rights by hand before the first sign-in, stays", async () => {
    const [boss, ops] = [newName(), newName()];
    const bossId = await client.addUser(boss);
    const opsId = await client.addUser(ops);
    await hub.admin.users.set(boss, { role: "admin" });
    await hub.admin.users.set(ops, { addTags: ["production"] });
    for (const id of [bossId, opsId]) {
      const moved = { op: "replace", path: 'emails[type eq "work"].value', value: newName() };
      expect((await client.patch(`/Users/${id}`, moved)).status).toBe(403);
    }
    expect([(await show(boss)).id, (await show(ops)).id]).toEqual([bossId, opsId]);
  });

  test("A new e-mail moves no identity of single sign-on", async () => {
    const id = await client.addUser(newName());
    const identity = await hub.addIdentity(id);
    const email = newName();
    expect(
      (await client.patch(`/Users/${id}`, { op: "replace", path: "userName", value: email }))
        .status,
    ).toBe(200);
    expect((await show(email)).id).toBe(id);
    const { body } = await hub.request(
      "GET",
      `/admin/api/users/${id}/identities`,
      await hub.addUser(newName(), { admin: true }),
    );
    expect(body.identities).toMatchObject([{ id: identity, issuer, email: "someone@example.com" }]);
  });

  test("An account of a former issuer, or one that was unlinked, does not let the e-mail move", async () => {
    const formerIssuer = "https://former.example.com";
    const former = await openScimClient(hub, { name: "Former", issuer: formerIssuer });
    const move = (id: string) => former.send("PUT", `/Users/${id}`, { userName: newName() });
    const { user } = await hub.addUser(newName());
    const times = { createdAt: 1, lastUsedAt: 1 };
    const account = { subject: user.id, email: user.email, ...times };
    await insertIdentity(hub.store.db, {
      id: crypto.randomUUID(),
      userId: user.id,
      issuer: formerIssuer,
      ...account,
    });
    expect((await move(user.id)).status).toBe(403);
    expect((await show(user.email)).id).toBe(user.id);
    const made = newName();
    const id = await former.addUser(made);
    await hub.addToken(made, "manage");
    expect((await move(id)).status).toBe(403);
    await insertIdentity(hub.store.db, { id: crypto.randomUUID(), userId: id, issuer, ...account });
    expect((await move(id)).status).toBe(200);
    expect((await move(await former.addUser(newName()))).status).toBe(200);
  });

  test("An e-mail that a workflow names as an approver is given to no user", async () => {
    const approver = newName();
    const owner = await hub.addUser(newName(), { admin: true });
    const ask = {
      id: "ask",
      type: "approval",
      title: "Send?",
      approvers: { users: [` ${approver.toUpperCase()}`] },
    };
    const mention = { id: "say", type: "set", value: `only_a_text_${approver}` };
    const body = { name: "asks", body: { nodes: [ask, mention] } };
    const made = await hub.request("POST", "/manager/api/workflows", { ...owner, body });
    expect(made.status).toBe(201);
    const id = await client.addUser(newName());
    const move = (userName: string) => client.send("PUT", `/Users/${id}`, { userName });
    const moved = await move(approver);
    expect([moved.status, moved.body.detail]).toEqual([
      403,
      expect.stringContaining("names this e-mail as an approver"),
    ]);
    expect((await move(`only_a_text_${approver}`)).status).toBe(200);
    expect((await move(approver.replace("-", "_"))).status).toBe(200);
  });

  test("A group gives admin only by a line that is ticked for SCIM, and `roles` give nothing", async () => {
    await setGroupLines(hub, [
      { pattern: "Staff", tags: ["staff"], role: "admin" },
      { pattern: "Root", role: "admin", adminByScim: true },
    ]);
    const userName = newName();
    const id = await client.addUser(userName, { roles: [{ value: "admin" }] });
    const staff = await client.addGroup("Staff", [id]);
    expect(await show(userName)).toMatchObject({ role: "user", tags: ["staff"] });
    const root = await client.addGroup("Root", [id]);
    expect(await show(userName)).toMatchObject({ role: "admin" });
    await client.send("DELETE", `/Groups/${root}`);
    await client.patch(`/Groups/${staff}`, { op: "replace", path: "displayName", value: "Guests" });
    expect(await show(userName)).toMatchObject({ role: "user", tags: [] });
  });

  test("The last active admin is not disabled, also by two requests at once", async () => {
    await using other = await openApiHub();
    const thief = await openScimClient(other, { name: "Thief" });
    const admins = [newName(), newName()];
    const ids: string[] = [];
    for (const email of admins) ids.push(await thief.addUser(email));
    for (const email of admins) await other.admin.users.set(email, { role: "admin" });
    const others = (await other.admin.users.list()).filter(
      ({ email, role }) => role === "admin" && !admins.includes(email),
    );
    for (const { email } of others) await other.admin.users.set(email, { role: "user" });
    const sent = await Promise.all(ids.map((id) => thief.patch(`/Users/${id}`, disable)));
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const left = await Promise.all(ids.map((id) => thief.send("DELETE", `/Users/${id}`)));
    expect(left.map(({ status }) => status).toSorted()).toEqual([204, 409]);
  });
});

test.each([
  "a group",
  "a new enabling",
] as const)("The last admin whose group is gone loses the role once SCIM makes another by %s", async (by) => {
  await using other = await openApiHub();
  const provider = await openScimClient(other, { name: "Directory" });
  await setGroupLines(other, [{ pattern: "Root", role: "admin", adminByScim: true }]);
  const [kept, next] = [newName(), newName()];
  const [keptId, nextId] = [await provider.addUser(kept), await provider.addUser(next)];
  const root = await provider.addGroup("Root", [keptId]);
  if (by === "a new enabling") {
    await provider.patch(`/Users/${nextId}`, disable);
    await other.admin.users.set(next, { role: "admin" });
  }
  for (const { email, role } of await other.admin.users.list()) {
    if (role === "admin" && ![kept, next].includes(email)) {
      await other.admin.users.set(email, { role: "user" });
    }
  }
  await provider.patch(`/Groups/${root}`, { op: "replace", path: "members", value: [] });
  expect((await other.admin.users.show(kept)).role).toBe("admin");
  const members = { op: "add", path: "members", value: [{ value: nextId }] };
  if (by === "a group") await provider.patch(`/Groups/${root}`, members);
  else await provider.patch(`/Users/${nextId}`, enable);
  const [before, after] = [await other.admin.users.show(kept), await other.admin.users.show(next)];
  expect([before.role, after.role]).toEqual(["user", "admin"]);
});

describe("what ends", () => {
  test("A disabled user's sessions, tokens and grants end at once, and come back with nothing", async () => {
    const userName = newName();
    const id = await client.addUser(userName);
    const doors = [await hub.openBrowser(id), await hub.addToken(userName, "manage")];
    const application = await hub.addApplicationToken(id);
    const opensMcp = async () =>
      (
        await fetch(`${hub.url}/mcp`, {
          method: "POST",
          headers: { ...application, "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
        })
      ).status !== 401;
    const listOpen = async () => [...(await Promise.all(doors.map(isAccepted))), await opensMcp()];
    expect(await listOpen()).toEqual([true, true, true]);
    expect((await client.patch(`/Users/${id}`, disable)).status).toBe(200);
    expect(await listOpen()).toEqual([false, false, false]);
    expect((await client.patch(`/Users/${id}`, enable)).status).toBe(200);
    expect((await show(userName)).status).toBe("active");
    expect(await listOpen()).toEqual([false, false, false]);
  });

  test("Who was disabled by hand is not enabled, and `active: false` does not make it SCIM's", async () => {
    const userName = newName();
    const id = await client.addUser(userName);
    await hub.admin.users.disable(userName);
    expect((await client.patch(`/Users/${id}`, disable)).body.active).toBe(false);
    expect((await client.patch(`/Users/${id}`, enable)).status).toBe(403);
    expect((await client.send("PUT", `/Users/${id}`, { userName, active: true })).status).toBe(403);
    expect((await show(userName)).status).toBe("disabled");
  });

  test("A group without access disables at once, and SCIM cannot lift that", async () => {
    await setGroupLines(hub, [{ pattern: "Leavers", role: "none" }]);
    const userName = newName();
    const id = await client.addUser(userName);
    await client.addGroup("Leavers", [id]);
    expect((await show(userName)).status).toBe("disabled");
    await client.patch(`/Users/${id}`, disable);
    await client.patch(`/Users/${id}`, enable);
    expect((await show(userName)).status).toBe("disabled");
  });

  test("Each change names the client", async () => {
    const id = await client.addUser(newName());
    await client.patch(`/Users/${id}`, disable);
    const changes = await hub.admin.changes.list({ targetKind: "user", targetId: id });
    expect(changes).toMatchObject([
      { action: "user.disable", via: "scim", actor: "SCIM client Stolen", actor_id: client.id },
      { action: "user.create", via: "scim", token_id: client.id },
    ]);
  });
});

describe("tokens", () => {
  test("The token opens no other door, and no other token opens this one", async () => {
    const headers = { authorization: `Bearer ${client.token}` };
    for (const path of [
      "/profile/api/me",
      "/admin/api/users",
      "/admin/api/scim-clients",
      "/manager/api/rows",
    ]) {
      expect((await hub.request("GET", path, { headers })).status).toBe(401);
    }
    const mcp = {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    };
    expect((await fetch(`${hub.url}/mcp`, mcp)).status).toBe(401);
    expect((await fetch(`${hub.url}/metrics`, { headers })).status).toBe(401);
    const admin = await hub.addUser(newName(), { admin: true });
    const application = await hub.addApplicationToken(admin.user.id);
    for (const given of [
      admin.token,
      application.authorization?.slice(7) ?? "",
      `hub_scim_${"0".repeat(32)}`,
      "",
    ]) {
      const {
        status,
        body,
        headers: answered,
      } = await toSender(hub.url, given).send("GET", "/Users");
      expect([status, body.status, answered.get("www-authenticate")]).toEqual([
        401,
        "401",
        'Bearer realm="scim"',
      ]);
    }
  });

  test("A token manage makes no client and gives no user, a session does", async () => {
    const admin = await hub.addUser(newName(), { admin: true });
    const body = { name: "By an admin" };
    expect((await hub.request("POST", "/admin/api/scim-clients", { ...admin, body })).status).toBe(
      403,
    );
    const headers = await hub.openBrowser(admin.user.id);
    const made = await hub.request("POST", "/admin/api/scim-clients", { headers, body });
    expect(made.status).toBe(201);
    expect((await toSender(hub.url, made.body.token).send("GET", "/Users")).status).toBe(200);
    const listed = await hub.request("GET", "/admin/api/scim-clients", admin);
    expect(JSON.stringify(listed.body)).not.toContain(made.body.token);
  });

  test("A token is refused from other addresses, after it was replaced, and after its client was removed", async () => {
    const limited = await openScimClient(hub, { name: "Limited", addresses: ["192.0.2.0/24"] });
    const from = async (ip: string, { send }: Pick<ScimClient, "send"> = limited) =>
      (await send("GET", "/Users", undefined, { "x-forwarded-for": ip })).status;
    expect([await from("192.0.2.9"), await from("198.51.100.9")]).toEqual([200, 401]);
    const { services } = hub.hub;
    const { token } = await rotateScimToken(services, commandLineActor, limited.id);
    const rotated = toSender(hub.url, token);
    expect([await from("192.0.2.9"), await from("192.0.2.9", rotated)]).toEqual([401, 200]);
    await setGroupLines(hub, [{ pattern: "Tagged", tags: ["tagged"] }]);
    const sent = { "x-forwarded-for": "192.0.2.9" };
    const userName = newName();
    const { body } = await rotated.send("POST", "/Users", { userName }, sent);
    await rotated.send(
      "POST",
      "/Groups",
      { displayName: "Tagged", members: [{ value: body.id }] },
      sent,
    );
    expect((await show(userName)).tags).toEqual(["tagged"]);
    await removeScimClient(services, commandLineActor, limited.id);
    expect(await from("192.0.2.9", rotated)).toBe(401);
    expect(await show(userName)).toMatchObject({ status: "active", tags: [] });
  });

  test("A user with a password cannot be given, nor one of another client", async () => {
    const { services } = hub.hub;
    const given = await hub.addUser(newName());
    const userId = given.user.id;
    expect((await client.patch(`/Users/${userId}`, disable)).status).toBe(404);
    await giveUser(services, commandLineActor, { clientId: client.id, userId });
    expect((await client.patch(`/Users/${userId}`, disable)).status).toBe(200);
    await expect(
      giveUser(services, commandLineActor, { clientId: client.id, userId }),
    ).rejects.toMatchObject({ code: "conflict" });
    const local = await hub.addUser(newName());
    await transaction(hub.store.db, (trx) =>
      setPassword(trx, local.user.id, { hash: "any", mustChange: false }, 1),
    );
    await expect(
      giveUser(services, commandLineActor, { clientId: client.id, userId: local.user.id }),
    ).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("large and odd bodies", () => {
  test.each([
    ["10 MB", 413, () => `{"userName":"${"a".repeat(10_000_000)}"}`],
    [
      "100,000 members",
      413,
      () =>
        JSON.stringify({
          displayName: "x",
          members: Array.from({ length: 100_000 }, () => ({ value: crypto.randomUUID() })),
        }),
    ],
    [
      "20,001 members",
      400,
      () =>
        JSON.stringify({
          displayName: "x",
          members: Array.from({ length: 20_001 }, () => ({ value: "1" })),
        }),
    ],
    [
      "1,001 operations",
      400,
      () => JSON.stringify({ Operations: Array.from({ length: 1_001 }, () => enable) }),
    ],
    [
      "21 e-mails",
      400,
      () =>
        JSON.stringify({
          userName: "a@b.c",
          emails: Array.from({ length: 21 }, (_, at) => ({ value: `${at}@b.c` })),
        }),
    ],
    ["deep nesting", 400, () => `{"userName":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["a name of 257 characters", 400, () => JSON.stringify({ userName: "a".repeat(257) })],
    ["a null character", 400, () => JSON.stringify({ userName: "a\0@b.c" })],
    ["half of a pair", 400, () => '{"userName":"a\\ud800@b.c"}'],
    ["an e-mail with the Kelvin sign", 400, () => JSON.stringify({ userName: "\u212Aate@b.c" })],
    ["no object", 400, () => "[]"],
    ["null", 400, () => "null"],
  ])("A body with %s is %d", async (_, status, toBody) => {
    for (const path of ["/Users", "/Groups"]) {
      const answer = await client.send("POST", path, toBody());
      expect(answer.status).toBe(status);
      expect(answer.body.status).toBe(String(status));
    }
  });

  test("A filter and a path that would take quadratic time are refused at once", async () => {
    const filter = encodeURIComponent("[".repeat(5_000));
    expect((await client.send("GET", `/Users?filter=${filter}`)).body.scimType).toBe(
      "invalidFilter",
    );
    const id = await client.addUser(newName());
    const path = 'a[a eq "'.repeat(100_000);
    expect(
      (await client.patch(`/Users/${id}`, { op: "replace", path, value: 1 })).body.scimType,
    ).toBe("invalidPath");
  });
});

test("Of requests at once for one userName, one makes the user", async () => {
  const userName = newName();
  const second = await openScimClient(hub, { name: "At once" });
  const sent = await Promise.all(
    [client, second, client, second].map(({ send }) => send("POST", "/Users", { userName })),
  );
  expect(sent.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  const group = crypto.randomUUID();
  const groups = await Promise.all(
    [0, 1].map(() => client.send("POST", "/Groups", { displayName: group })),
  );
  expect(groups.map(({ status }) => status).toSorted()).toEqual([201, 409]);
});

test("Members that are added and removed at once are all changed", async () => {
  await setGroupLines(hub, [{ pattern: "Team-*", isPattern: true, tags: ["team"] }]);
  const ids = await Promise.all(Array.from({ length: 8 }, () => client.addUser(newName())));
  const group = await client.addGroup(`Team-${crypto.randomUUID()}`, ids.slice(0, 4));
  const change = (id: string, at: number) =>
    at < 4
      ? client.patch(`/Groups/${group}`, { op: "remove", path: `members[value eq "${id}"]` })
      : client.patch(`/Groups/${group}`, { op: "add", path: "members", value: [{ value: id }] });
  const sent = await Promise.all(ids.map(change));
  expect(sent.map(({ status }) => status)).toEqual(ids.map(() => 204));
  expect(await client.listMembers(group)).toEqual(ids.slice(4).toSorted());
  const reader = await hub.addUser(newName(), { admin: true });
  const users = await Promise.all(
    ids.map(async (id) => (await hub.request("GET", `/admin/api/users/${id}`, reader)).body.tags),
  );
  expect(users).toEqual(ids.map((_, at) => (at < 4 ? [] : ["team"])));
});
