/**
 * A call that runs by itself once it is approved, of a server of 2026-07-28 that asks its user: the hub has no one to ask, so the
 * approval is used by the repeat of the client, which is asked.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { findPendingCall } from "@hub/server/store/pending/pending-calls-table.ts";
import { type ApiHub, type Credentials, openApiHub } from "../api/open-api-hub.ts";
import { openNewestClient } from "../support/newest-client.ts";
import { ada, nameForm } from "./support/asking-rows.ts";
import { serveAsking } from "./support/asking-server.ts";

setDefaultTimeout(120_000);

const owned = new AsyncDisposableStack();
let hub: ApiHub;
let user: Awaited<ReturnType<ApiHub["addUser"]>>;
let browser: Credentials;

beforeAll(async () => {
  hub = owned.use(await openApiHub());
  user = await hub.addUser("ann@example.com", { admin: true });
  browser = await hub.openBrowser(user.user.id);
});
afterAll(() => owned.disposeAsync());

/** A row of the server, all of whose calls are asked about and run by themselves. */
async function addAskedRow(url: string): Promise<string> {
  const values = { transport: "http", url, auth_mode: "none", shared_session: "false" };
  const { id } = await hub.admin.rows.add({ connector: "mcp", label: "Asking", values });
  const path = `/manager/api/rows/${id}`;
  await hub.request("POST", `${path}/discover`, { headers: user.headers, body: {} });
  const { body } = await hub.request("GET", `${path}/review`, { headers: user.headers });
  const approval = { headers: user.headers, body: { stamp: body.stamp } };
  expect((await hub.request("POST", `${path}/approve`, approval)).status).toBe(200);
  const rule = { asks: "always", runs_on_approval: true } as const;
  await setRule(hub.hub.services, commandLineActor, id, rule);
  return id;
}

async function approve(id: string): Promise<void> {
  const path = `/manager/api/pending-calls/${id}`;
  const { body } = await hub.request("GET", path, { headers: browser });
  const decision = { decision: "approved", hash: body.hash };
  const answer = await hub.request("POST", `${path}/decision`, {
    headers: browser,
    body: decision,
  });
  expect(answer.body.state).toBe("approved");
}

test("The approval of a call that runs by itself is used by the repeat of its client, if its server asks", async () => {
  const server = owned.use(
    serveAsking((responses) =>
      "asked" in responses ? { text: `Hello ${JSON.stringify(responses)}` } : { form: nameForm },
    ),
  );
  const row = await addAskedRow(server.url);
  const client = owned.use(
    await openNewestClient({ url: hub.url, token: user.token }, { form: {} }, ada),
  );
  const { text } = await client.call(row, "ask");
  const { code, pending_id: id } = JSON.parse(text);
  expect(code).toBe("approval_required");
  await approve(id);
  // The job of the server makes the call, and the MCP server asks.
  const read = () => findPendingCall(hub.store.db, id);
  const isOver = async () => {
    const call = await read();
    return call?.state === "done" || call?.runsByItself === false;
  };
  while (!(await isOver())) await Bun.sleep(20);
  expect(await read()).toMatchObject({ state: "approved", runId: null });
  // The official library refuses a call that declares no elicitation.
  expect(server.declared).toEqual([null]);
  const done = await client.call(row, "ask");
  expect([done.isError, done.text.includes("Ada")]).toEqual([false, true]);
  expect(client.asked).toHaveLength(1);
  expect((await read())?.state).toBe("done");
  const runs = (await hub.admin.runs.list({ row })).filter(({ source }) => source === "mcp");
  expect(runs.map(({ status }) => status)).toEqual(["success", "denied", "denied", "denied"]);
});
