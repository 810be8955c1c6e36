/**
 * Protects: who may do what over the API; seeing a row is no right to change it (trap 10). Every route is asked as everyone, and a route without a row
 * in the table fails.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { type Ask, accessTable, type Role, roles, type Stage } from "./access-table.ts";
import { type ApiHub, type Credentials, openApiHub } from "./open-api-hub.ts";

let hub: ApiHub;
let stage: Stage;
const askers: Record<string, Credentials> = {};
const ids: Record<string, string> = {};

beforeAll(async () => {
  hub = await openApiHub();
  const users = {
    pending: await hub.addUser("pending@example.com", { tags: ["red"], status: "pending" }),
    disabled: await hub.addUser("disabled@example.com", { tags: ["red"], status: "disabled" }),
    outsider: await hub.addUser("outsider@example.com", { tags: ["blue"] }),
    insider: await hub.addUser("insider@example.com", { tags: ["red"] }),
    owner: await hub.addUser("owner@example.com", { tags: ["red"] }),
    admin: await hub.addUser("admin@example.com", { admin: true }),
  };
  for (const [name, { headers, user }] of Object.entries(users)) {
    askers[name] = headers;
    ids[name] = user.id;
  }
  let rows = 0;
  stage = {
    hub,
    addRow: () => hub.addRow(`Row ${++rows}`, ["red"]),
    addToken: async () => {
      const { email } = users.owner.user;
      return (await hub.manager.tokens.create({ user: email, name: "spare" })).id;
    },
    addSession: async () => (await hub.addSession(users.owner.user.id)).id,
    addApplication: () => hub.addApplication(users.owner.user.id),
    addRun: async () => {
      const { id } = await stage.addRow();
      return await hub.greet(users.owner, id);
    },
  };
});
afterAll(() => hub[Symbol.asyncDispose]());

const names = apiRoutes.map(({ method, path }) => `${method} ${path}`);

test("every route is in the table, and the table names no other", () => {
  expect(names.toSorted()).toEqual(Object.keys(accessTable).toSorted());
});

function toPath(path: string, { params = {}, query = {} }: Ask): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

describe.each(
  apiRoutes.map((route) => [`${route.method} ${route.path}`, route] as const),
)("%s", (name, { method, path }) => {
  const row = accessTable[name];
  if (row === undefined) return;

  test.each([...roles])("answers as the table says to: %s", async (role: Role) => {
    const ask = await row.ask(stage);
    const { status, body } = await hub.ask(method, toPath(path, ask), {
      headers: askers[role] ?? {},
      body: ask.body,
    });
    expect([role, status, body]).toEqual([role, row.expected[role], body]);
  });

  test.each([...roles])("answers a signed-in browser as it answers a token: %s", async (role) => {
    const ask = await row.ask(stage);
    const { status, body } = await hub.ask(method, toPath(path, ask), {
      headers: await hub.openBrowser(ids[role] ?? ""),
      body: ask.body,
    });
    expect([role, status, body]).toEqual([role, row.expected[role], body]);
  });

  test("takes a change from a browser with the CSRF token of its session alone", async () => {
    const ask = await row.ask(stage);
    const { cookie = "" } = await hub.openBrowser(ids.admin ?? "");
    const other = await hub.openBrowser(ids.admin ?? "");
    const forged: Credentials[] = [
      { cookie },
      { cookie, "x-csrf-token": "" },
      { cookie, "x-csrf-token": other["x-csrf-token"] ?? "" },
    ];
    for (const headers of forged) {
      const { status, body } = await hub.ask(method, toPath(path, ask), {
        headers,
        body: ask.body,
      });
      if (method === "GET") expect(status).toBe(row.expected.admin);
      else expect([status, body.code]).toEqual([403, "forbidden"]);
    }
  });

  test("is not open to a token that an application was given for MCP", async () => {
    const ask = await row.ask(stage);
    const headers = { authorization: `Bearer hub_oat_${"0".repeat(43)}` };
    const { status, body } = await hub.ask(method, toPath(path, ask), { headers, body: ask.body });
    expect([status, body.code]).toEqual([403, "forbidden"]);
  });

  test("refuses a query parameter that it does not know", async () => {
    const ask = await row.ask(stage);
    const query = { ...ask.query, misspelt: "1" };
    const { status, body } = await hub.ask(method, toPath(path, { ...ask, query }), {
      headers: askers.admin ?? {},
      body: ask.body,
    });
    expect([status, body.code, body.error]).toEqual([
      400,
      "bad_request",
      expect.stringContaining("misspelt"),
    ]);
  });

  test("gives nothing to nobody, to a pending or disabled user, nor for what means nothing", async () => {
    const ask = await row.ask(stage);
    const strangers: Credentials[] = [
      {},
      { authorization: `Bearer hub_pat_${"0".repeat(32)}` },
      { authorization: "Basic YWRhOmFkYQ==" },
      { cookie: "hub_session=" },
      { cookie: `hub_session=${"A".repeat(43)}` },
    ];
    for (const name of ["pending", "disabled"]) {
      strangers.push(askers[name] ?? {}, await hub.openBrowser(ids[name] ?? ""));
    }
    for (const headers of strangers) {
      const answer = await hub.ask(method, toPath(path, ask), { headers, body: ask.body });
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"]);
    }
  });
});
