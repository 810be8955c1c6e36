/**
 * A first cycle of a provider beside calls over `/mcp`, small: `scripts/scim-first-cycle.ts` has 10,000 users and 500 groups. And what is
 * left of it if the server dies between two steps.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createScimJob } from "@hub/server/compose/scim-job.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import { addMembers, listGroupsDue } from "@hub/server/store/scim/scim-members-table.ts";
import { type ApiHub, openApiHub } from "../api/open-api-hub.ts";
import { openScimClient, type ScimClient, setGroupLines } from "./scim-client.ts";

setDefaultTimeout(180_000);

let hub: ApiHub;
let client: ScimClient;
beforeAll(async () => {
  hub = await openApiHub();
  client = await openScimClient(hub, { name: "First cycle" });
  await setGroupLines(hub, [{ pattern: "Team *", isPattern: true, tags: ["team"] }]);
});
afterAll(() => hub[Symbol.asyncDispose]());

const listTagged = async () =>
  (await hub.admin.users.list())
    .filter(({ status, tags }) => status === "active" && tags.includes("team"))
    .map(({ id }) => id);

test("Users and groups are made beside calls, a disabled user's call is refused, and the others go on", async () => {
  const row = await hub.addRow("Greeter", ["team"]);
  const caller = await hub.addUser("caller@example.com", { tags: ["team"] });
  const leaverId = await client.addUser("leaver@example.com");
  await client.addGroup("Team of the leaver", [leaverId]);
  const leaver = await hub.addToken("leaver@example.com", "mcp");
  const ids: string[] = [];
  const makeAll = async () => {
    for (let at = 0; at < 20; at += 1) ids.push(await client.addUser(`user-${at}@example.com`));
    await client.patch(`/Users/${leaverId}`, { op: "Replace", path: "active", value: "False" });
    for (let at = 0; at < 4; at += 1) await client.addGroup(`Team ${at}`, ids.slice(at, at + 10));
  };
  let isOver = false;
  const making = makeAll().finally(() => {
    isOver = true;
  });
  let calls = 0;
  while (!isOver || calls === 0) {
    await hub.greet(caller, row.id);
    calls += 1;
  }
  await making;
  expect((await listTagged()).toSorted()).toEqual([...ids.slice(0, 13), caller.user.id].toSorted());
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { ...leaver, "content-type": "application/json" };
  expect((await fetch(`${hub.url}/mcp`, { method: "POST", headers, body: ping })).status).toBe(401);
});

test("Members whose tags did not follow before the server died get them by the job, and only once", async () => {
  const id = await client.addUser("late@example.com");
  const group = await client.addGroup("Team late");
  // As after the first of the two steps of a request.
  await transaction(hub.store.db, (trx) => addMembers(trx, group, [id]));
  expect(await listTagged()).not.toContain(id);
  const job = createScimJob(hub.hub.services);
  await job.run(() => false);
  expect(await listTagged()).toContain(id);
  expect(await listGroupsDue(hub.store.db, { limit: 10 })).toEqual([]);
});
