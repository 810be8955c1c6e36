/** Protects: what many users may fill is listed in pages, and a search looks at some of it at a time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { addApproval, addWorkflow } from "./add-workflow.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

let hub: ApiHub;
beforeAll(async () => {
  hub = await openApiHub();
});
afterAll(() => hub[Symbol.asyncDispose]());

test.each([
  "sessions",
  "applications",
])("All %s can be read in pages of two, each of them once", async (noun) => {
  const admin = await hub.addUser(`admin-${noun}@example.com`, { admin: true });
  const made = new Set<string>();
  for (const name of ["ada", "ben"]) {
    const { user } = await hub.addUser(`${name}-${noun}@example.com`);
    for (let count = 0; count < 3; count += 1) {
      made.add(
        noun === "sessions"
          ? (await hub.addSession(user.id)).id
          : await hub.addApplication(user.id),
      );
    }
  }
  const found: string[] = [];
  let after: string | null = "";
  while (after !== null) {
    const more: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const { headers } = admin;
    const path = `/admin/api/${noun}?limit=2${more}`;
    const { status, body } = await hub.request("GET", path, { headers });
    expect(status).toBe(200);
    const page: { id: string }[] = body[noun];
    expect(page.length).toBeLessThanOrEqual(2);
    found.push(...page.map(({ id }) => id));
    after = body.next;
  }
  expect(new Set(found).size).toBe(found.length);
  expect([...made].filter((id) => !found.includes(id))).toEqual([]);
});

test("A cursor of another list is refused", async () => {
  const { headers } = await hub.addUser("cursors@example.com", { admin: true });
  const after = Buffer.from('[true,"x"]').toString("base64url");
  for (const noun of ["sessions", "applications"]) {
    const { status } = await hub.request("GET", `/admin/api/${noun}?after=${after}`, { headers });
    expect([noun, status]).toEqual([noun, 400]);
  }
});

test("What needs a person is sorted by harm, in pages, and users get only what is theirs", async () => {
  const ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  const ben = await hub.addUser("ben@example.com");
  const root = await hub.addUser("root@example.com", { admin: true });
  await hub.addUser("new@example.com", { status: "pending" });
  for (const name of ["one", "two", "three"]) {
    await hub.admin.tokens.create({
      user: "ada@example.com",
      name,
      scope: "mcp",
      expiresInDays: 3,
    });
  }
  const { id: workflow } = await addWorkflow(hub, root.user.id, { tags: ["red"] });
  const approval = await addApproval(hub, workflow, root.user.id, ["red"]);

  type Item = { kind: string; harm: number; path: string; subject: { name: string } };
  const list = async ({ headers }: typeof ada, limit: number) => {
    const found: Item[] = [];
    let total = 0;
    for (let after = ""; ; ) {
      const path = `/manager/api/attention?limit=${limit}&after=${encodeURIComponent(after)}`;
      const { body } = await hub.request("GET", after === "" ? (path.split("&")[0] ?? "") : path, {
        headers,
      });
      found.push(...body.items);
      total = body.total;
      if (body.next === null) break;
      after = body.next;
    }
    expect(found).toHaveLength(total);
    return found;
  };
  const own = await list(ada, 2);
  expect(own.map(({ kind, subject, path }) => [kind, subject.name, path])).toEqual([
    ["approval_waiting", expect.any(String), `/approvals/${approval}`],
    ...["one", "three", "two"].map((name) => ["token_expiring", name, "/profile/tokens"]),
  ]);
  expect(await list(ben, 1)).toEqual([]);
  const all = await list(root, 1);
  const harms = all.map(({ harm }) => harm);
  expect(harms).toEqual(harms.toSorted((one, other) => other - one));
  expect(all.find(({ kind }) => kind === "user_waiting")?.path).toBe("/admin/users?status=pending");
  expect(all.filter(({ kind }) => kind === "token_expiring")).toEqual([]);
  const after = Buffer.from('[1,"x"]').toString("base64url");
  const foreign = await hub.request("GET", `/manager/api/attention?after=${after}`, ben);
  expect(foreign.status).toBe(400);
});

test("The overview counts the calls of a user, and setting-up ends with a call of an operation by a client", async () => {
  const cleo = await hub.addUser("cleo@example.com", { tags: ["green"] });
  const dan = await hub.addUser("dan@example.com");
  const root = await hub.addUser("root-2@example.com", { admin: true });
  const read = async ({ headers }: typeof cleo, path: string) =>
    (await hub.request("GET", path, { headers })).body;
  const setup = "/profile/api/setup";
  expect(await read(cleo, setup)).toMatchObject({ sees_rows: false, first_call_at: null });
  const { id: row } = await hub.addRow("Green", ["green"]);
  expect(await read(cleo, setup)).toMatchObject({ sees_rows: true, first_call_at: null });
  await hub.greet(cleo, row);
  expect(await read(cleo, setup)).toMatchObject({ first_call_at: expect.any(String) });
  expect(await read(root, setup)).toMatchObject({ first_call_at: expect.any(String) });
  expect(await read(dan, setup)).toEqual({
    sees_rows: false,
    // The token of this request is for the management API as well.
    client_seen_at: null,
    first_call_at: null,
  });
  expect(await read(cleo, "/manager/api/overview?span=week")).toMatchObject({
    calls: 1,
    errors: 0,
    failing: [],
    waiting: { approvals: 0, workflow_runs: 0 },
  });
  expect(await read(dan, "/manager/api/overview")).toMatchObject({ calls: 0, slowest: [] });
});

test("The overview and the history of a user say nothing of a hidden row whose id the user calls", async () => {
  const eve = await hub.addUser("eve@example.com", { tags: ["green"] });
  const { id: row } = await hub.addRow("Secret takeover", ["blue"]);
  const unknown = crypto.randomUUID();
  await using client = await connectHttp(hub.url, eve.token);
  for (let call = 0; call < 6; call += 1) {
    for (const id of [row, unknown]) await client.execute(`conn:${id}/greet`, { name: "Eve" });
  }
  const read = async (path: string) => (await hub.request("GET", path, eve)).body;
  const overview = await read("/manager/api/overview");
  expect(overview).toMatchObject({ calls: 12, denied: 12, slowest: [], failing: [] });
  expect(JSON.stringify(await read("/profile/api/runs/figures"))).not.toContain("takeover");
});
