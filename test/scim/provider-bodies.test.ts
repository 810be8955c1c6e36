/**
 * The requests that Okta, Microsoft Entra ID and Keycloak's plug-in send, at the real door: right answers, and never a 200 for what
 * was not understood.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { openScimClient, type ScimClient } from "./scim-client.ts";

setDefaultTimeout(180_000);

let hub: ApiHub;
let client: ScimClient;
beforeAll(async () => {
  hub = await openApiHub();
  client = await openScimClient(hub, { name: "Provider" });
});
afterAll(() => hub[Symbol.asyncDispose]());

const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const newName = () => `${crypto.randomUUID()}@example.com`;
const show = async (id: string) => (await client.send("GET", `/Users/${id}`)).body;
const find = async (filter: string, path = "/Users") =>
  (await client.send("GET", `${path}?filter=${encodeURIComponent(filter)}`)).body;

describe("look-ups", () => {
  test("A user that does not exist is an empty list, not an error", async () => {
    const { status, body, headers } = await client.send(
      "GET",
      `/Users?filter=${encodeURIComponent('userName eq "none@example.com"')}&startIndex=1&count=100`,
    );
    expect([status, headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("application/scim+json"),
    ]);
    expect(body).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });

  test("A user is found by userName in any case, by e-mail and by externalId, also while disabled", async () => {
    const userName = newName();
    const id = await client.addUser(userName.toUpperCase(), {
      externalId: "Okta-1",
      emails: [{ value: userName, type: "work", primary: true }],
    });
    await client.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    for (const filter of [
      `userName eq "${userName}"`,
      `emails[type eq "work"].value eq "${userName.toUpperCase()}"`,
      'externalId eq "Okta-1"',
      `userName eq "${userName}" and active eq false`,
      `id eq "${id}"`,
    ]) {
      expect((await find(filter)).Resources).toMatchObject([{ id, active: false }]);
    }
    expect((await find('externalId eq "okta-1"')).totalResults).toBe(0);
    expect((await find(`userName eq "${userName}" and active eq true`)).totalResults).toBe(0);
  });

  test("Lists are paged in a stable order, and a negative count is 0", async () => {
    const other = await openScimClient(hub, { name: "Pages" });
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.push(await other.addUser(newName()));
    const page = async (query: string) => (await other.send("GET", `/Users?${query}`)).body;
    const toIds = (body: { Resources: Array<{ id: string }> }) =>
      body.Resources.map(({ id }) => id);
    const first = await page("startIndex=1&count=2&aadOptscim062020");
    const second = await page("startIndex=3&count=2");
    const third = await page("startIndex=5&count=2");
    expect([first.totalResults, third.startIndex, third.itemsPerPage]).toEqual([5, 5, 1]);
    expect([first, second, third].flatMap(toIds)).toEqual(made.toSorted());
    expect(await page("count=-1")).toMatchObject({
      totalResults: 5,
      itemsPerPage: 0,
      Resources: [],
    });
    expect(toIds(await page("startIndex=0"))).toEqual(made.toSorted());
  });

  test.each([
    'userName co "a"',
    "userName pr",
    'password eq "a"',
    "userName eq",
  ])("The filter %s is refused", async (filter) => {
    expect(await find(filter)).toMatchObject({ status: "400", scimType: "invalidFilter" });
  });
});

describe("users", () => {
  test("Okta creates with its own id, empty groups and a password, which is thrown away", async () => {
    const userName = newName();
    const { status, body, headers } = await client.send("POST", "/Users", {
      schemas: [core],
      userName,
      name: { givenName: "Ada", familyName: "Byron" },
      emails: [{ primary: true, value: userName, type: "work" }],
      displayName: "Ada Byron",
      locale: "en-US",
      externalId: crypto.randomUUID(),
      groups: [],
      password: "1mz050nq-Secret",
      active: true,
    });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(body.meta.location);
    expect(body.meta.location).toEndWith(`/scim/v2/Users/${body.id}`);
    expect(body).toMatchObject({
      schemas: [core],
      userName,
      active: true,
      displayName: "Ada Byron",
    });
    expect(JSON.stringify(body)).not.toContain("Secret");
    expect(await hub.admin.users.show(userName)).toMatchObject({
      name: "Ada Byron",
      role: "user",
      status: "active",
    });
    const { body: again } = await client.send("POST", "/Users", { userName, active: true });
    expect(again).toMatchObject({ status: "409", scimType: "uniqueness" });
  });

  test("Okta echoes the whole answer with PUT, which changes and records nothing", async () => {
    const id = await client.addUser(newName(), {
      name: { givenName: "Ada" },
      externalId: newName(),
    });
    const before = await show(id);
    const changes = await hub.admin.changes.list({ targetId: id });
    const { status, body } = await client.send("PUT", `/Users/${id}`, { ...before, groups: [] });
    expect([status, body]).toEqual([200, before]);
    expect(await hub.admin.changes.list({ targetId: id })).toEqual(changes);
  });

  test("Entra creates with the enterprise schema, roles and meta, and changes by one operation an attribute", async () => {
    const userName = newName();
    const id = await client.addUser(userName, {
      schemas: [core, enterprise],
      externalId: "entra-object-id",
      meta: { resourceType: "User" },
      roles: [],
      [enterprise]: { department: "Sales" },
    });
    const { status, body } = await client.patch(
      `/Users/${id}`,
      { op: "Add", path: 'emails[type eq "work"].value', value: userName },
      { op: "Replace", path: "name.givenName", value: "Grace" },
      { op: "Replace", path: `${core}:name.familyName`, value: "Hopper" },
      { op: "Add", path: "displayName", value: "Grace Hopper" },
      { op: "Add", path: `${enterprise}:manager`, value: "1" },
      { op: "Add", path: "roles", value: [{ value: '{"id":"1","value":"Admin"}' }] },
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: { givenName: "Grace", familyName: "Hopper" },
      emails: [{ value: userName, type: "work" }],
    });
    expect(await hub.admin.users.show(userName)).toMatchObject({
      name: "Grace Hopper",
      role: "user",
    });
  });

  test.each([
    ["Entra, with capitals and as a text", { op: "Replace", path: "active", value: "False" }],
    ["Entra with its flag", { op: "replace", path: "active", value: false }],
    ["a catalogue app of Okta, without a path", { op: "replace", value: { active: false } }],
    ["with the URN of the schema", { op: "replace", path: `${core}:active`, value: "false" }],
  ])("A user is disabled by %s", async (_, operation) => {
    const userName = newName();
    const id = await client.addUser(userName);
    expect((await client.patch(`/Users/${id}`, operation)).body.active).toBe(false);
    expect((await hub.admin.users.show(userName)).status).toBe("disabled");
    expect(
      (await client.patch(`/Users/${id}`, { op: "replace", path: "active", value: "True" })).body
        .active,
    ).toBe(true);
    expect((await hub.admin.users.show(userName)).status).toBe("active");
  });

  test("Keycloak's plug-in disables with PUT and deletes at once; the user may be made again", async () => {
    const userName = newName();
    const id = await client.addUser(userName, { externalId: "kc-1" });
    await client.send("PUT", `/Users/${id}`, { userName, externalId: "kc-1", active: false });
    expect((await hub.admin.users.show(userName)).status).toBe("disabled");
    await client.send("PUT", `/Users/${id}`, { userName, externalId: "kc-1", active: true });
    expect((await client.send("DELETE", `/Users/${id}`)).status).toBe(204);
    expect((await client.send("GET", `/Users/${id}`)).status).toBe(404);
    expect((await client.send("DELETE", `/Users/${id}`)).status).toBe(404);
    expect((await find(`userName eq "${userName}"`)).totalResults).toBe(0);
    expect((await hub.admin.users.show(userName)).status).toBe("disabled");
    expect(await client.addUser(userName, { externalId: "kc-1" })).toBe(id);
    expect((await hub.admin.users.show(userName)).status).toBe("active");
  });

  test("A user is renamed, and stays the same user", async () => {
    const [before, after] = [newName(), newName()];
    const id = await client.addUser(before);
    const { body } = await client.patch(`/Users/${id}`, {
      op: "replace",
      value: { userName: after, "name.givenName": "Ada" },
    });
    expect(body).toMatchObject({ id, userName: after, name: { givenName: "Ada" } });
    expect((await hub.admin.users.show(after)).id).toBe(id);
    expect((await find(`userName eq "${before}"`)).totalResults).toBe(0);
  });

  test.each([
    ["invalidPath", { op: "replace", path: "activ", value: false }],
    ["invalidPath", { op: "replace", path: 'active[value eq "x"]', value: false }],
    ["invalidPath", { op: "replace", value: { activ: false } }],
    ["invalidValue", { op: "replace", path: "active", value: "no" }],
    ["invalidValue", { op: "replace", path: "active", value: null }],
    ["invalidValue", { op: "remove", path: "active" }],
    ["invalidValue", { op: "replace", value: "active" }],
    ["invalidValue", { op: "remove", path: "userName" }],
    ["invalidValue", { op: "replace", path: "emails", value: [{ type: "work" }] }],
    ["invalidSyntax", { op: "delete", path: "active" }],
    ["noTarget", { op: "remove" }],
    ["mutability", { op: "replace", path: "id", value: "1" }],
  ])("What is not understood is %s with the whole request, never 200: %j", async (scimType, operation) => {
    const id = await client.addUser(newName());
    const before = await show(id);
    const { status, body } = await client.patch(
      `/Users/${id}`,
      { op: "replace", path: "displayName", value: "Other" },
      operation,
    );
    expect([status, body]).toEqual([
      400,
      {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        status: "400",
        scimType,
        detail: expect.any(String),
      },
    ]);
    expect(await show(id)).toEqual(before);
  });
});

describe("members of a group", () => {
  /** Each begins with the members a and b. */
  const forms: ReadonlyArray<
    [
      name: string,
      operations: (ids: Record<"a" | "b" | "c", string>) => unknown[],
      left: Array<"a" | "b" | "c">,
    ]
  > = [
    [
      "Okta adds",
      ({ c }) => [{ op: "add", path: "members", value: [{ value: c, display: "C" }] }],
      ["a", "b", "c"],
    ],
    [
      "An added member is not doubled",
      ({ a }) => [{ op: "add", path: "members", value: [{ value: a }] }],
      ["a", "b"],
    ],
    [
      "Okta removes one by a filter",
      ({ a }) => [{ op: "remove", path: `members[value eq "${a}"]` }],
      ["b"],
    ],
    [
      "Okta pushes all",
      ({ c }) => [{ op: "replace", path: "members", value: [{ value: c }] }],
      ["c"],
    ],
    ["Okta pushes an empty group", () => [{ op: "replace", path: "members", value: [] }], []],
    [
      "Okta pushes an empty group without a path",
      () => [{ op: "replace", value: { members: [], id: "1", displayName: "Same" } }],
      [],
    ],
    [
      "Entra adds with a null reference",
      ({ c }) => [{ op: "Add", path: "members", value: [{ $ref: null, value: c }] }],
      ["a", "b", "c"],
    ],
    [
      "Entra removes by a list",
      ({ a }) => [{ op: "Remove", path: "members", value: [{ value: a }] }],
      ["b"],
    ],
    [
      "Entra removes and adds",
      ({ b, c }) => [
        { op: "Remove", path: "members", value: [{ value: b }] },
        { op: "Add", path: "members", value: [{ value: c }] },
      ],
      ["a", "c"],
    ],
    ["Keycloak removes all with null", () => [{ op: "remove", path: "members", value: null }], []],
    ["All are removed without a value", () => [{ op: "remove", path: "members" }], []],
    [
      "An unknown member is removed already",
      () => [{ op: "remove", path: "members", value: [{ value: crypto.randomUUID() }] }],
      ["a", "b"],
    ],
  ];

  test.each(forms)("%s", async (_, toOperations, left) => {
    const ids = {
      a: await client.addUser(newName()),
      b: await client.addUser(newName()),
      c: await client.addUser(newName()),
    };
    const group = await client.addGroup(crypto.randomUUID(), [ids.a, ids.b]);
    expect((await client.patch(`/Groups/${group}`, ...toOperations(ids))).status).toBe(204);
    expect(await client.listMembers(group)).toEqual(left.map((name) => ids[name]).toSorted());
    // "Same" is the name of one group at a time.
    await client.send("DELETE", `/Groups/${group}`);
  });

  test.each([
    ["invalidValue", { op: "add", path: "members", value: [{ value: crypto.randomUUID() }] }],
    ["invalidValue", { op: "add", path: "members", value: [{ value: "1", type: "Group" }] }],
    ["invalidPath", { op: "remove", path: 'members[display eq "a"]' }],
    ["invalidPath", { op: "replace", path: "member", value: [] }],
    ["invalidPath", { op: "replace", value: { member: [] } }],
  ])("What is not understood is %s and changes no member: %j", async (scimType, operation) => {
    const member = await client.addUser(newName());
    const group = await client.addGroup(crypto.randomUUID(), [member]);
    const { status, body } = await client.patch(
      `/Groups/${group}`,
      { op: "remove", path: "members" },
      operation,
    );
    expect([status, body.scimType]).toEqual([400, scimType]);
    expect(await client.listMembers(group)).toEqual([member]);
  });

  test("Groups are found by name in any case without their members, renamed with members, and deleted", async () => {
    const member = await client.addUser(newName());
    const [before, after] = [crypto.randomUUID(), crypto.randomUUID()];
    const { body } = await client.send("POST", "/Groups", {
      schemas: [
        "urn:ietf:params:scim:schemas:core:2.0:Group",
        "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group",
      ],
      displayName: before,
      externalId: "entra-group",
    });
    const { id } = body;
    const query = `excludedAttributes=members&filter=${encodeURIComponent(`displayName eq "${before.toUpperCase()}"`)}`;
    const found = (await client.send("GET", `/Groups?${query}`)).body.Resources;
    expect(found).toMatchObject([{ id, displayName: before }]);
    expect(found[0]).not.toContainKey("members");
    const { status } = await client.patch(
      `/Groups/${id}`,
      { op: "replace", value: { id, displayName: after } },
      { op: "add", path: "members", value: [{ value: member }] },
    );
    expect(status).toBe(204);
    expect(
      (await find(`id eq "${id}" and members eq "${member}"`, "/Groups")).Resources,
    ).toMatchObject([{ displayName: after }]);
    expect((await client.send("POST", "/Groups", { displayName: after })).body).toMatchObject({
      status: "409",
      scimType: "uniqueness",
    });
    expect((await client.send("DELETE", `/Groups/${id}`)).status).toBe(204);
    expect((await client.send("GET", `/Groups/${id}`)).body).toMatchObject({ status: "404" });
  });
});

test("What the hub does not offer is 501, and an unknown address is 404 as SCIM says it", async () => {
  expect((await client.send("GET", "/Me")).status).toBe(501);
  expect((await client.send("POST", "/Bulk", {})).body).toMatchObject({ status: "501" });
  expect((await client.send("GET", "/Devices")).body).toMatchObject({ status: "404" });
  expect((await client.send("PUT", "/Users", {})).body).toMatchObject({ status: "405" });
  expect(
    (
      await client.send("POST", "/Users", "userName=a", {
        "content-type": "application/x-www-form-urlencoded",
      })
    ).body,
  ).toMatchObject({ status: "415" });
  expect((await client.send("POST", "/Users", "{")).body).toMatchObject({
    status: "400",
    scimType: "invalidSyntax",
  });
});
