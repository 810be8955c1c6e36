/** Protects: the routes of rules, of calls that wait and of permissions refuse with the status and the code that they document. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiHub, type Credentials, openApiHub } from "./open-api-hub.ts";

type Person = { id: string; browser: Credentials };

let hub: ApiHub;
let admin: Person;
let ada: Person;
let row: string;
beforeAll(async () => {
  hub = await openApiHub();
  admin = await addPerson("root@example.com", { admin: true });
  ada = await addPerson("ada@example.com", { tags: ["red"] });
  row = (await hub.addRow("Rules", ["red"])).id;
});
afterAll(() => hub[Symbol.asyncDispose]());

async function addPerson(...user: Parameters<ApiHub["addUser"]>): Promise<Person> {
  const { id } = (await hub.addUser(...user)).user;
  return { id, browser: await hub.openBrowser(id) };
}

type Request = { method: string; path: string; body?: unknown };

async function ask({ method, path, body }: Request, who = admin): Promise<[number, string]> {
  const given = { headers: who.browser, ...(body !== undefined && { body }) };
  const answer = await hub.request(method, `/manager/api${path}`, given);
  return [answer.status, answer.body.code];
}

const absent = crypto.randomUUID();
const put = (body: object, of = row): Request => ({
  method: "PUT",
  path: `/rows/${of}/rules`,
  body,
});
const remove = (rule: string, query = ""): Request => ({
  method: "DELETE",
  path: `/rows/${row}/rules/${rule}${query}`,
});

const refusals: Array<[title: string, request: () => Request, status: number, code: string]> = [
  ["A rule without `asks`", () => put({}), 400, "bad_request"],
  ["A rule with an unknown member", () => put({ asks: "always", when: 1 }), 400, "bad_request"],
  ["A revision below 0", () => put({ asks: "always", revision: -1 }), 400, "bad_request"],
  ["A rule of a row that does not exist", () => put({ asks: "always" }, absent), 404, "not_found"],
  [
    "The rules of a row that does not exist",
    () => ({ method: "GET", path: `/rows/${absent}/rules` }),
    404,
    "not_found",
  ],
  ["The removal of a rule that does not exist", () => remove(absent), 404, "not_found"],
  ["A removal with revision 0", () => remove(absent, "?revision=0"), 400, "bad_request"],
  [
    "The explanation of a call that does not exist",
    () => ({ method: "GET", path: `/runs/${absent}/rules` }),
    404,
    "not_found",
  ],
  [
    "A call that does not exist",
    () => ({ method: "GET", path: `/pending-calls/${absent}` }),
    404,
    "not_found",
  ],
  [
    "A decision without a hash",
    () => ({
      method: "POST",
      path: `/pending-calls/${absent}/decision`,
      body: { decision: "approved" },
    }),
    400,
    "bad_request",
  ],
  [
    "The end of a permission that does not exist",
    () => ({ method: "DELETE", path: `/permits/${absent}` }),
    404,
    "not_found",
  ],
];

for (const [title, request, status, code] of refusals) {
  test(`${title} is refused with ${status}`, async () => {
    expect(await ask(request())).toEqual([status, code]);
  });
}

test("Users see no permissions of other users, and admins do", async () => {
  const request = { method: "GET", path: `/permits?user=${admin.id}` };
  expect(await ask(request, ada)).toEqual([403, "forbidden"]);
  const own = { method: "GET", path: `/permits?user=${ada.id}` };
  expect((await ask(own, ada))[0]).toBe(200);
  expect((await ask(own, admin))[0]).toBe(200);
});

test("A change or a removal of another revision than the present one is refused with 409", async () => {
  const headers = admin.browser;
  const path = `/manager/api/rows/${row}/rules`;
  const first = await hub.request("PUT", path, { headers, body: { asks: "always", revision: 0 } });
  expect([first.status, first.body.revision]).toEqual([200, 1]);
  expect(await ask(put({ asks: "destructive", revision: 0 }))).toEqual([409, "conflict"]);
  const other = await hub.request("PUT", path, { headers, body: { asks: "destructive" } });
  expect([other.status, other.body.revision]).toEqual([200, 2]);
  const { id } = first.body;
  expect(await ask(remove(id, "?revision=1"))).toEqual([409, "conflict"]);
  expect((await ask(remove(id, "?revision=2")))[0]).toBe(200);
  const anew = await hub.request("PUT", path, { headers, body: { asks: "always", revision: 0 } });
  expect([anew.status, anew.body.revision]).toEqual([200, 1]);
  const ofFormer = { asks: "destructive", rule_id: id, revision: 1 };
  expect(await ask(put(ofFormer))).toEqual([409, "conflict"]);
  expect((await ask(put({ ...ofFormer, rule_id: anew.body.id })))[0]).toBe(200);
});
