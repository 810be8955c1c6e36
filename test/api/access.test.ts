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

beforeAll(async () => {
  hub = await openApiHub();
  const users = {
    disabled: await hub.addUser("disabled@example.com", { tags: ["red"], status: "disabled" }),
    outsider: await hub.addUser("outsider@example.com", { tags: ["blue"] }),
    insider: await hub.addUser("insider@example.com", { tags: ["red"] }),
    owner: await hub.addUser("owner@example.com", { tags: ["red"] }),
    admin: await hub.addUser("admin@example.com", { admin: true }),
  };
  for (const [name, { headers }] of Object.entries(users)) askers[name] = headers;
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

  test("gives nothing to nobody, to a disabled user, nor to a token of no meaning", async () => {
    const ask = await row.ask(stage);
    const unknown = { authorization: `Bearer hub_pat_${"0".repeat(32)}` };
    for (const headers of [{}, askers.disabled ?? {}, unknown]) {
      const answer = await hub.ask(method, toPath(path, ask), { headers, body: ask.body });
      expect([answer.status, answer.body.code]).toEqual([401, "unauthorized"]);
    }
  });
});
