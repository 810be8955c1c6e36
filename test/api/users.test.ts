/** Users over the API, with their sessions, applications, one-time passwords and identities. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: TestUser;
let admin: TestUser;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com");
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const get = async (who: TestUser, path: string) => (await hub.request("GET", path, who)).body;
const post = (who: TestUser, path: string) => hub.request("POST", path, who);
const toIds = (list: { id: string }[]) => list.map(({ id }) => id).toSorted();

test("Users can list and end their own sessions, and admins those of all users", async () => {
  const first = await hub.addSession(ada.user.id);
  const second = await hub.addSession(ada.user.id);
  const { sessions } = await get(ada, "/profile/api/sessions");
  expect(toIds(sessions)).toEqual([first.id, second.id].toSorted());
  expect(sessions[0]).toMatchObject({
    user: "ada@example.com",
    ip_address: "192.0.2.7",
    user_agent: "Browser",
    current: false,
  });
  expect(JSON.stringify(sessions)).not.toContain(first.token);

  expect((await post(ada, `/profile/api/sessions/${first.id}/end`)).body).toEqual({ id: first.id });
  expect((await post(ada, `/profile/api/sessions/${first.id}/end`)).status).toBe(404);
  const ofAda = await get(admin, `/admin/api/sessions?user=${ada.user.id}`);
  expect(toIds(ofAda.sessions)).toEqual([second.id]);
  const ofAdmin = await get(admin, `/admin/api/sessions?user=${admin.user.id}`);
  expect(ofAdmin.sessions).toEqual([]);
  const ended = await post(admin, `/admin/api/users/${ada.user.id}/sessions/end`);
  expect([ended.body, (await get(ada, "/profile/api/sessions")).sessions]).toEqual([
    { ended: 1 },
    [],
  ]);
});

test("A request with a token to end other sessions ends all sessions of the user", async () => {
  await hub.addSession(ada.user.id);
  await hub.addSession(ada.user.id);
  expect((await post(ada, "/profile/api/sessions/end-others")).body).toEqual({ ended: 2 });
});

test("Users can list and revoke their own applications, and admins those of all users", async () => {
  const [own, other] = [
    await hub.addApplication(ada.user.id),
    await hub.addApplication(admin.user.id),
  ];
  const listed = await get(ada, "/profile/api/applications");
  expect(listed.applications).toMatchObject([
    { id: own, user: "ada@example.com", name: "Desk", destination: "the user's computer" },
  ]);
  expect(toIds((await get(admin, "/admin/api/applications")).applications)).toEqual(
    [own, other].toSorted(),
  );
  for (const [q, ids] of [
    ["DESK", [own, other].toSorted()],
    ["ada@example", [own]],
    ["nothing", []],
  ] as const) {
    const found = await get(admin, `/admin/api/applications?q=${q}`);
    expect([q, toIds(found.applications), found.total]).toEqual([q, [...ids], ids.length]);
  }
  const filtered = await get(admin, `/admin/api/applications?user=${admin.user.id}`);
  expect(toIds(filtered.applications)).toEqual([other]);
  expect((await post(ada, `/profile/api/applications/${own}/revoke`)).status).toBe(200);
  expect((await get(ada, "/profile/api/applications")).applications).toEqual([]);
  expect((await post(admin, `/admin/api/applications/${other}/revoke`)).status).toBe(200);
  expect((await get(admin, "/admin/api/applications")).applications).toEqual([]);
});

test("A one-time password is shown once, ends the user's sessions, and is recorded without its value", async () => {
  await hub.addSession(ada.user.id);
  const { body } = await hub.request("POST", `/admin/api/users/${ada.user.id}/one-time-password`, {
    headers: await hub.openBrowser(admin.user.id),
  });
  expect(body.email).toBe("ada@example.com");
  expect((await get(ada, "/profile/api/sessions")).sessions).toEqual([]);
  const record = await get(admin, `/admin/api/changes?target_id=${ada.user.id}`);
  expect(record.changes[0].action).toBe("user.password");
  expect(JSON.stringify(record)).not.toContain(body.one_time_password);
});

test("Unlinking an identity needs the right user, removes only that identity, ends the sessions, and is recorded", async () => {
  const [kept, gone] = [await hub.addIdentity(ada.user.id), await hub.addIdentity(ada.user.id)];
  await hub.addSession(ada.user.id);
  const unlink = (user: string, id: string) =>
    hub.request("DELETE", `/admin/api/users/${user}/identities/${id}`, admin);
  expect((await unlink(admin.user.id, gone)).status).toBe(404);
  expect((await get(ada, "/profile/api/sessions")).sessions).toHaveLength(1);

  expect((await unlink(ada.user.id, gone)).body.identities).toMatchObject([{ id: gone }]);
  expect((await get(ada, "/profile/api/sessions")).sessions).toEqual([]);
  const left = await get(admin, `/admin/api/users/${ada.user.id}/identities`);
  expect(toIds(left.identities)).toEqual([kept]);
  const record = await get(admin, `/admin/api/changes?target_id=${ada.user.id}`);
  expect(record.changes[0]).toMatchObject({ action: "user.unlink", actor: "root@example.com" });
});

test("The record of changes is paged, and its answers are not cached", async () => {
  const ids: string[] = [];
  let before = "";
  for (let page = 0; page < 100; page++) {
    const query = before === "" ? "?limit=2" : `?limit=2&before=${before}`;
    const { body, headers } = await hub.request("GET", `/admin/api/changes${query}`, admin);
    expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual([
      "no-store",
      "nosniff",
    ]);
    ids.push(...body.changes.map(({ id }: { id: string }) => id));
    if (body.next === null) break;
    before = body.next;
  }
  const all = await get(admin, "/admin/api/changes?limit=1000");
  expect([ids.length > 4, ids]).toEqual([true, all.changes.map(({ id }: { id: string }) => id)]);
  expect(all.next).toBeNull();
});

test("Tokens can be listed for one user; an unknown user gets 404", async () => {
  const { tokens } = await get(admin, `/admin/api/tokens?user=${ada.user.id}`);
  expect(tokens.map((token: { user: string }) => token.user)).toEqual(["ada@example.com"]);
  for (const list of ["tokens", "sessions", "applications"]) {
    const absent = await hub.request(
      "GET",
      `/admin/api/${list}?user=${crypto.randomUUID()}`,
      admin,
    );
    expect([list, absent.status]).toEqual([list, 404]);
  }
});

test("Tokens of all users are found by a text and a state, with their number", async () => {
  const find = (query: string) => get(admin, `/admin/api/tokens?${query}`);
  const [token] = (await find(`user=${ada.user.id}`)).tokens;
  for (const query of [
    "q=ADA@example",
    `q=${token.last_four}`,
    `q=${encodeURIComponent(token.name)}`,
  ]) {
    expect(toIds((await find(query)).tokens)).toContain(token.id);
  }
  expect(await find("q=no-such-token")).toEqual({ tokens: [], next: null, total: 0 });
  const [active, ended] = [await find("state=active&limit=1"), await find("state=expired")];
  expect([active.tokens.length, active.next !== null]).toEqual([1, true]);
  expect(active.total).toBeGreaterThan(1);
  expect(toIds(ended.tokens)).not.toContain(token.id);
});

test("A user can be added, changed in the given fields, disabled and enabled", async () => {
  const email = "new@example.com";
  const given = { email, name: "New", role: "user", tags: ["red"] };
  const { status, body } = await hub.request("POST", "/admin/api/users", { ...admin, body: given });
  expect([status, body]).toEqual([201, expect.objectContaining({ ...given, status: "active" })]);
  const path = `/admin/api/users/${body.id}`;
  const changed = await hub.request("PATCH", path, {
    headers: await hub.openBrowser(admin.user.id),
    body: { name: "Newer", role: "admin", tags: ["blue"] },
  });
  expect(changed.body).toMatchObject({ name: "Newer", role: "admin", tags: ["blue"] });
  const same = await hub.request("PATCH", path, { ...admin, body: {} });
  expect(same.body).toEqual(changed.body);
  const states = [await post(admin, `${path}/disable`), await post(admin, `${path}/enable`)];
  expect(states.map((answer) => answer.body.status)).toEqual(["disabled", "active"]);
  expect((await get(admin, path)).email).toBe(email);
});

test("An admin's token cannot create passwords or admins (attack: account takeover with a stolen token)", async () => {
  const makeAdmin = { email: "mallory@example.com", role: "admin" };
  const path = `/admin/api/users/${ada.user.id}`;
  const refused = [
    await post(admin, `${path}/one-time-password`),
    await post(admin, `/admin/api/users/${admin.user.id}/one-time-password`),
    await hub.request("POST", "/admin/api/users", { ...admin, body: makeAdmin }),
    await hub.request("PATCH", path, { ...admin, body: { role: "admin" } }),
  ];
  for (const { status, body } of refused) {
    expect([status, body.code, body.error]).toEqual([
      403,
      "forbidden",
      expect.stringContaining("`hub user` on the hub's machine"),
    ]);
  }
  expect((await get(admin, path)).role).toBe("user");
  const { users } = await get(admin, "/admin/api/users");
  expect(JSON.stringify(users)).not.toContain("mallory");
  // The other fields of an existing admin can be changed.
  const own = { ...admin, body: { role: "admin", name: "Root" } };
  expect((await hub.request("PATCH", `/admin/api/users/${admin.user.id}`, own)).body.name).toBe(
    "Root",
  );
});

test.each([
  "application/x-www-form-urlencoded",
  "text/plain",
])("A body of type %s, which a foreign page can send, is refused", async (type) => {
  const email = `${type.replace(/\W/g, "")}@example.com`;
  const response = await fetch(`${hub.url}/admin/api/users`, {
    method: "POST",
    headers: { ...admin.headers, "content-type": type },
    body: JSON.stringify({ email }),
  });
  expect([response.status, Object(await response.json()).code]).toEqual([
    415,
    "unsupported_media_type",
  ]);
  const { users } = await get(admin, "/admin/api/users");
  expect(users.map((user: { email: string }) => user.email)).not.toContain(email);
});

test("The last active admin cannot be disabled or demoted", async () => {
  const { users } = hub.admin;
  for (const { id, email, role } of await users.list()) {
    if (role === "admin" && email !== "root@example.com") await users.disable(id);
  }
  const disabled = await post(admin, `/admin/api/users/${admin.user.id}/disable`);
  const demoted = await hub.request("PATCH", `/admin/api/users/${admin.user.id}`, {
    ...admin,
    body: { role: "user" },
  });
  expect([disabled.status, demoted.status]).toEqual([409, 409]);
});

test("Two admins who change the tags of a user at the same time lose none", async () => {
  const ben = await hub.addUser("ben@example.com", { tags: ["red"] });
  const path = `/admin/api/users/${ben.user.id}`;
  const change = (body: object) => hub.request("PATCH", path, { ...admin, body });
  const answers = await Promise.all([
    change({ add_tags: ["blue"], remove_tags: ["red"] }),
    change({ add_tags: ["green"] }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect((await get(admin, path)).tags).toEqual(["blue", "green"]);
  const refused = await change({ add_tags: ["<b>"] });
  expect([refused.status, refused.body.code]).toEqual([400, "bad_request"]);
});

test("An admin sees which rows a user sees, with all their tags", async () => {
  const eve = await hub.addUser("eve@example.com", { tags: ["blue"] });
  const add = async (label: string, tags: string[]) =>
    void (await hub.admin.rows.add({ connector: "fixture", label, tags }));
  await add("By tag", ["blue", "red"]);
  await add("By another tag", ["red"]);
  await add("For everyone", ["everyone"]);
  await add("For admins", []);
  const listOf = async ({ user }: TestUser) =>
    (await get(admin, `/admin/api/users/${user.id}/rows`)).rows;
  const toLabels = (rows: { label: string }[]) => rows.map(({ label }) => label);
  const seen = await listOf(eve);
  expect(toLabels(seen)).toEqual(["Hub", "Workflows", "By tag", "For everyone"]);
  expect(seen[2].tags.toSorted()).toEqual(["blue", "red"]);
  expect(toLabels(await listOf(admin))).toEqual(
    expect.arrayContaining(["By another tag", "For admins"]),
  );
  const path = `/admin/api/users/${crypto.randomUUID()}/rows`;
  expect((await hub.request("GET", path, admin)).status).toBe(404);
});

test("The API gives the checks of the doctor", async () => {
  const { ok, checks } = await get(admin, "/admin/api/doctor");
  expect(ok).toBe(true);
  expect(checks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["data folder", "database", "keys", "users", "rows", "processes"]),
  );
});

test("Users are found by text, role, state and tag, with the number of all who match", async () => {
  const tagged = await hub.addUser("tagged-1@example.com", { tags: ["lens"] });
  await hub.addUser("tagged-2@example.com", { tags: ["lens"] });
  await post(admin, `/admin/api/users/${tagged.user.id}/disable`);
  const find = async (query: string) => {
    const { users, total, by_status } = await get(admin, `/admin/api/users?${query}`);
    return [users.map(({ email }: { email: string }) => email), total, by_status];
  };
  const counts = { active: 1, pending: 0, disabled: 1 };
  const both = ["tagged-1@example.com", "tagged-2@example.com"];
  expect(await find("tag=lens")).toEqual([both, 2, counts]);
  expect(await find("q=TAGGED-&limit=1")).toEqual([both.slice(0, 1), 2, counts]);
  expect(await find("tag=lens&status=disabled")).toEqual([both.slice(0, 1), 1, counts]);
  expect((await find("q=tagged-&without_tag=lens"))[1]).toBe(0);
  expect((await find("tag=lens&role=admin"))[1]).toBe(0);
  expect((await hub.request("GET", "/admin/api/users?role=owner", admin)).status).toBe(400);
});

test("A preview of tags names the rows that a user would gain and lose, and changes nothing", async () => {
  const user = await hub.addUser("preview@example.com", { tags: ["before"] });
  const add = async (label: string, tags: string[]) => {
    const body = { connector: "http", label, tags };
    return (await hub.request("POST", "/manager/api/rows", { ...admin, body })).body;
  };
  const kept = await add("Kept", ["before", "after"]);
  const lost = await add("Lost", ["before"]);
  const gained = await add("Gained", ["after"]);
  const path = `/admin/api/users/${user.user.id}/tag-preview`;
  expect(await get(admin, `${path}?tags=after`)).toEqual({
    gained: { total: 1, rows: [{ id: gained.id, label: "Gained" }] },
    lost: { total: 1, rows: [{ id: lost.id, label: "Lost" }] },
  });
  const nothing = { total: 0, rows: [] };
  expect(await get(admin, `${path}?tags=before`)).toEqual({ gained: nothing, lost: nothing });
  const seen = `/admin/api/users/${user.user.id}/rows`;
  const first = await get(admin, `${seen}?limit=1`);
  expect([first.rows.length, first.total]).toEqual([1, (await get(admin, seen)).rows.length]);
  const named = await get(user, `/manager/api/rows?ids=${kept.id},${gained.id}`);
  expect(toIds(named.rows)).toEqual([kept.id]);
  // A tag of others is not said to be on a row that the user sees.
  expect((await get(user, "/manager/api/rows?tag=after")).rows).toEqual([]);
  expect((await hub.request("GET", "/manager/api/rows?ids=x", admin)).status).toBe(400);
});
