/** Protects: an account of a user is used in the calls and runs that this user started, and in no others. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { openAdminBrowser } from "../support/connect-row.ts";
import { type EchoServer, startEchoServer } from "../support/echo-server.ts";
import { openOAuthFixture } from "../support/oauth-fixture.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const token = "of-the-owner-8Kq2Zr7Lx4";
const owned = new AsyncDisposableStack();
let flows: WorkflowHub;
let api: EchoServer;
let workflow: string;
let row: string;
let other: string;

beforeAll(async () => {
  api = owned.use(startEchoServer());
  const fixture = owned.use(await openOAuthFixture({ isHere: true }));
  flows = await openWorkflowHub(fixture.hub);
  const set = ["--set", `base_url=${api.url}`, "--set", "auth_mode=bearer"];
  const add = ["row", "add", "http", "--label", "Mail", "--tag", "red", "--access", "own"];
  const { stdout } = await flows.hub.cli(...add, ...set, "--json");
  row = JSON.parse(stdout).id;
  const hosts = [new URL(api.url).origin];
  const account = { row, values: { token }, hosts };
  const login = await fixture.givePassword("admin@localhost");
  const browser = await openAdminBrowser(fixture.base, login);
  const connected = await browser.call("POST", "/accounts", account);
  expect(connected.status).toBe(201);
  await flows.hub.addUser("other@example.com", { tags: ["red"] });
  const options = ["--user", "other@example.com", "--name", "api", "--scope", "manage"];
  other = (await flows.hub.cli("token", "create", ...options)).stdout.trim();
  workflow = await flows.publish({
    triggers: [
      { id: "start", type: "manual", entry: "read" },
      { id: "hook", type: "webhook", entry: "read" },
    ],
    nodes: [
      { id: "read", type: "operation", tool_id: `conn:${row}/get`, params: { path: "/text" } },
    ],
  });
  const path = `/manager/api/workflows/${workflow}`;
  expect((await flows.api("PUT", `${path}/tags`, { tags: ["red"] })).status).toBe(200);
  expect((await flows.api("PATCH", path, { run_by: "tags" })).status).toBe(200);
});
afterAll(() => owned.disposeAsync());

const start = (by?: string) =>
  flows.api("POST", `/manager/api/workflows/${workflow}/runs`, { wait_s: 30 }, by);

async function findStep(run: unknown) {
  const path = `/manager/api/workflows/${workflow}/runs/${run}`;
  return Object((await flows.api("GET", path)).body).steps?.[0];
}

test("A run that the owner of the workflow starts by hand uses the owner's account", async () => {
  api.received.length = 0;
  const { body } = await start();
  expect(body).toMatchObject({ state: "succeeded" });
  expect(api.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${token}`]);
});

test("A run that another user starts, or a webhook, uses no account, and sends nothing", async () => {
  api.received.length = 0;
  const { body } = await start(other);
  expect(body.state).toBe("failed");
  expect(await findStep(body.run_id)).toMatchObject({ error: { code: "needs_account" } });
  expect((await flows.send(workflow)).status).toBe(202);
  const hooked = await waitFor(async () => {
    const { body: listed } = await flows.api("GET", `/manager/api/workflows/${workflow}/runs`);
    const runs = Object(listed).runs as { id: string; state: string; trigger_type: string }[];
    return runs.find(
      ({ state, trigger_type: type }) => type === "webhook" && /succeeded|failed/.test(state),
    );
  });
  expect(hooked.state).toBe("failed");
  expect(await findStep(hooked.id)).toMatchObject({ error: { code: "needs_account" } });
  expect(api.received).toEqual([]);
});

test("The command line lists the account without its label and its token, and removes it", async () => {
  const { stdout: email } = await flows.hub.cli("user", "list", "--json");
  const [first] = JSON.parse(email) as { email: string }[];
  const list = async () =>
    (await flows.hub.cli("account", "list", "--user", first?.email ?? "", "--json")).stdout;
  const text = await list();
  expect(text).not.toContain(token);
  expect(text).not.toContain('"label"');
  const [account] = JSON.parse(text) as { id: string; row_id: string; used_at: string }[];
  expect(account).toMatchObject({ row_id: row, used_at: expect.any(String) });
  const removed = await flows.hub.cli("account", "remove", account?.id.slice(0, 8) ?? "");
  expect(removed.stdout).toBe(`Removed the account ${account?.id}.\n`);
  expect(JSON.parse(await list())).toEqual([]);
  expect((await start()).body.state).toBe("failed");
});
