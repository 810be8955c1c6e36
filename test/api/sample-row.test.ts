/** The row to try: it calls this hub, is made once, and opens nothing to other users. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

let hub: ApiHub;
let admin: Awaited<ReturnType<ApiHub["addUser"]>>;
beforeAll(async () => {
  // Clients reach it by an address that its own machine does not reach.
  hub = await openApiHub({ HUB_BASE_URL: "https://hub.invalid" });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

// A proxy in front of the hub passes the Host of the base URL on.
const headers = () => ({ ...admin.headers, host: "hub.invalid" });
const make = () => hub.request("POST", "/manager/api/rows/sample", { headers: headers() });
const run = (row: string, operation: string, params: object) =>
  hub.request("POST", `/manager/api/rows/${row}/operations/${operation}/test`, {
    headers: headers(),
    body: { params },
  });

test("The sample row calls this hub without a network, behind any base URL", async () => {
  const { status, body } = await make();
  expect([status, body.connector, body.missing, body.tags]).toEqual([200, "http", [], []]);
  const { body: answer } = await run(body.id, "get", { path: "/" });
  expect(answer.result).toMatchObject({ status: 200, body: { status: "ok" } });
});

test("The sample row reaches nothing of the hub but its health (metrics for local programs)", async () => {
  const { body } = await make();
  for (const path of ["/metrics", "/../metrics", "/%2e%2e/metrics"]) {
    expect((await run(body.id, "get", { path })).status).not.toBe(200);
  }
  const enabled = body.operations.filter((one: { enabled: boolean }) => one.enabled);
  expect(enabled.map(({ key }: { key: string }) => key)).toEqual(["get"]);
});

test("The sample row is made once, also by two admins at once, and again after it was deleted", async () => {
  const [one, two] = await Promise.all([make(), make()]);
  expect(one.body.id).toBe(two.body.id);
  const path = `/manager/api/rows/${one.body.id}`;
  expect((await hub.request("DELETE", path, { headers: headers() })).status).toBe(200);
  expect((await make()).body.id).not.toBe(one.body.id);
});

test("Users who are no admins do not see the sample row", async () => {
  const { body } = await make();
  const ada = await hub.addUser("ada@example.com");
  const given = { headers: { ...ada.headers, host: "hub.invalid" } };
  expect((await hub.request("GET", `/manager/api/rows/${body.id}`, given)).status).toBe(404);
});
