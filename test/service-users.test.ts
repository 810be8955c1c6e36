/**
 * Protects: a service user never signs in, decides nothing and is asked nothing, is no admin but by an admin in a session, and
 * stops with its owner.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ServiceUser } from "@hub/contract/machine.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { listExcluded } from "@hub/server/operations/rules/list-excluded.ts";
import {
  addServiceUser,
  createServiceToken,
} from "@hub/server/services/machines/manage-service-users.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import { putRule } from "@hub/server/store/rules/call-rules-table.ts";
import { countDeciders } from "@hub/server/store/rules/count-deciders.ts";
import { newRule } from "@hub/server/store/rules/testing/new-rule.ts";
import { bumpRevision } from "@hub/server/store/settings/revision.ts";
import { hasOtherActiveAdmin } from "@hub/server/store/users/active-users.ts";
import { type ApiHub, type Credentials, openApiHub } from "./api/open-api-hub.ts";

let hub: ApiHub;
let owner: Awaited<ReturnType<ApiHub["addUser"]>>;
let admin: Credentials;
let robot: ServiceUser;
let token: string;

beforeAll(async () => {
  hub = await openApiHub();
  owner = await hub.addUser("owner@example.com", { tags: ["red"] });
  admin = await hub.openBrowser((await hub.addUser("root@example.com", { admin: true })).user.id);
  const input = { name: "deploy-bot", owner: owner.user.id, tags: ["red", "blue"] };
  robot = await addServiceUser(hub.hub.services, commandLineActor, input);
  const made = await createServiceToken(hub.hub.services, commandLineActor, robot.id, {
    name: "ci",
  });
  token = made.token;
});
afterAll(() => hub[Symbol.asyncDispose]());

async function execute(tool_id: string, params: object = {}) {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "hub_execute", arguments: { tool_id, params } },
    }),
  });
  return { status: response.status, text: await response.text() };
}

const greet = async (row: string) => await execute(`conn:${row}/greet`, { name: "Ada" });

test("It calls what its owner sees too, and nothing while the owner is not active", async () => {
  const red = (await hub.addRow("Red", ["red"])).id;
  const blue = (await hub.addRow("Blue", ["blue"])).id;
  expect((await greet(red)).text).toContain("Hello Ada");
  expect((await greet(blue)).text).toContain("not_found");
  const path = `/admin/api/users/${robot.id}/rows`;
  const { rows } = (await hub.request("GET", path, { headers: admin })).body;
  const ids = Array(rows)
    .flat()
    .map(({ id }) => id);
  expect([ids.includes(red), ids.includes(blue)]).toEqual([true, false]);
  await hub.admin.users.disable("owner@example.com");
  expect((await greet(red)).status).toBe(401);
  await hub.admin.users.enable("owner@example.com");
  expect((await greet(red)).text).toContain("Hello Ada");
});

test("No way of signing in opens a session for it, and it gets no password", async () => {
  await expect(hub.addSession(robot.id)).rejects.toThrow("A service user cannot sign in");
  const user = `/admin/api/users/${robot.id}`;
  const change = { headers: admin, body: { role: "admin" } };
  expect((await hub.request("PATCH", user, change)).status).toBe(409);
  for (const action of ["one-time-password", "enable", "disable"]) {
    expect((await hub.request("POST", `${user}/${action}`, { headers: admin })).status).toBe(409);
  }
  expect(
    (await hub.request("GET", "/admin/api/users", { headers: admin })).body.users,
  ).not.toContainEqual(expect.objectContaining({ id: robot.id }));
});

test("Only an admin in a browser makes and changes it, and it is an admin only while its owner is one", async () => {
  const path = "/admin/api/service-users";
  const role = (given: object) =>
    hub.request("PATCH", `${path}/${robot.id}`, { headers: admin, body: given });
  expect((await role({ role: "admin" })).status).toBe(409);
  const boss = await hub.addUser("boss@example.com", { admin: true });
  expect((await role({ owner: boss.user.id, role: "admin" })).body).toMatchObject({
    owner: "boss@example.com",
    role: "admin",
    works: true,
  });
  const body = { name: "by-token" };
  expect((await hub.request("POST", path, { headers: boss.headers, body })).status).toBe(403);
  // It is not the admin who is left: it stops with its owner.
  await hub.admin.users.disable("root@example.com");
  expect(await hasOtherActiveAdmin(hub.store.db, boss.user.id)).toBe(false);
  await hub.admin.users.enable("root@example.com");
  admin = await hub.openBrowser((await hub.admin.users.show("root@example.com")).id);
  const again = await role({ owner: owner.user.id, role: "user" });
  expect(again.body).toMatchObject({ owner: "owner@example.com", role: "user" });
  const nested = { name: "of-a-robot", owner: robot.id };
  expect((await hub.request("POST", path, { headers: admin, body: nested })).status).toBe(409);
});

test("Its own calls are confirmed by no client of it, and decided neither by it nor by its owner", async () => {
  const row = (await hub.addRow("Asked", ["red"])).id;
  const put = async (decide: object) =>
    await transaction(hub.store.db, async (trx) => {
      await putRule(trx, newRule({ id: "rule-s", rowId: row, decide: JSON.stringify(decide) }));
      await bumpRevision(trx);
    });
  await put({ by: "caller" });
  expect((await greet(row)).text).toContain("refused_by_rule");
  await put({ by: "tags", tags: ["red"] });
  const { text } = await greet(row);
  expect(text).toContain("approval_required");
  const excluded = await listExcluded(hub.store.db, { userId: robot.id, workflowRunId: null });
  expect(excluded.toSorted()).toEqual([robot.id, owner.user.id].toSorted());
  // It has the tag, and counts among no deciders.
  expect(await countDeciders(hub.store.db, ["red"])).toEqual({
    total: 1,
    only: "owner@example.com",
  });
});
