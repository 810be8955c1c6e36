/**
 * Protects: while the disk has less free space than `HUB_DISK_FREE_BYTES_MIN`, new work is refused with 507 at every
 * door, and reads, sign-in, deletion and what takes something away go on.
 */

import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createBrowser } from "./support/browser.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { readAnswer } from "./support/mcp-client.ts";
import { signIn } from "./support/oauth-fixture.ts";
import { createPageBrowser } from "./support/page-browser.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { describeOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";
import { openWorkflowHub, startWorkflowHub, type WorkflowHub } from "./support/workflow-hub.ts";

/** More than any disk has. */
const env = { HUB_DISK_FREE_BYTES_MIN: "1000000000000" };
const refusal = {
  code: "insufficient_storage",
  error: expect.stringContaining("Ask an admin of the hub to free space on its disk"),
  retry_after_s: 30,
};

describeOnSqlite("databaseFile", "a disk below its floor", () => {
  const owned = new AsyncDisposableStack();
  let flow: WorkflowHub;
  let hub: RunningHub;
  let toolId: string;
  let workflowId: string;

  beforeAll(async () => {
    // The folder is filled while there is space.
    const folder = owned.use(await createDataFolder());
    const before = await startWorkflowHub({ dataDir: folder.path });
    const { body } = await before.api("GET", "/manager/api/rows");
    const [row] = (body as { rows: Array<{ id: string }> }).rows;
    toolId = `conn:${row?.id}/whoami`;
    workflowId = await before.publish({
      triggers: [
        { id: "hook", type: "webhook", path: "run", entry: "set" },
        { id: "tick", type: "cron", schedule: "* * * * * *", entry: "set" },
      ],
      nodes: [{ id: "set", type: "set", value: { n: "1" } }],
    });
    await before.hub.stop();
    await before[Symbol.asyncDispose]();
    hub = await startHub({ dataDir: folder.path, env, hasCheapPasswords: true });
    flow = owned.use(await openWorkflowHub(hub));
  });
  afterAll(() => owned.disposeAsync());

  const call = async (name: string, args = {}) => {
    const token = await hub.makeManageToken();
    const answer = await postRpc(hub.url, token, toToolCall(name, args), {
      accept: "application/json",
    });
    return readAnswer((JSON.parse(await answer.text()) as { result: unknown }).result);
  };

  test("calls of operations are refused, and those that read go on", async () => {
    expect(await call("hub_execute", { tool_id: toolId, params: {} })).toMatchObject({
      isError: true,
      value: refusal,
    });
    expect((await call("hub_list")).isError).toBeFalse();
    expect((await call("hub_search", { query: "who am I" })).isError).toBeFalse();
  });

  test("webhooks are refused before their body is read, and senders are told when to come back", async () => {
    const large = "x".repeat(1024 * 1024);
    const answer = await flow.send(workflowId, "run", { method: "POST", body: large });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([507, "30"]);
    expect(await answer.json()).toMatchObject(refusal);
    const { body } = await flow.api("GET", `/manager/api/workflows/${workflowId}/deliveries`);
    expect(JSON.stringify(body)).not.toContain('"body_bytes":1048576');
  });

  test("runs are not started: not by a person, and not by a clock", async () => {
    const started = await flow.api("POST", `/manager/api/workflows/${workflowId}/runs`, {});
    expect(started).toMatchObject({ status: 507, body: refusal });
    await waitFor(() => hub.stderr().includes("A tick of a cron trigger failed"));
    using db = new Database(join(hub.dataDir, "hub.sqlite"), { readonly: true });
    const counted = db.query<{ runs: number }, [number]>(
      "select count(*) as runs from workflow_runs where created_at > ?",
    );
    expect(counted.get(Date.now() - 500)?.runs).toBe(0);
  });

  test.each([
    ["POST", "/manager/api/rows", { connector: "http", label: "New" }],
    ["POST", "/manager/api/workflows", { name: "New" }],
    ["POST", "/admin/api/users", { email: "new@example.com" }],
    ["POST", "/manager/api/plugins/install", { source: "https://example.com/x" }],
  ])("%s %s is refused", async (method, path, body) => {
    expect(await flow.api(method, path, body)).toMatchObject({ status: 507, body: refusal });
  });

  test("sign-in, disabling, settings and deletion go on", async () => {
    const { status } = await flow.api("PUT", "/admin/api/settings/HUB_AUDIT_RETENTION_DAYS", {
      value: "1",
    });
    expect(status).toBe(200);
    const disabled = await flow.api("POST", `/manager/api/workflows/${workflowId}/disable`);
    expect(disabled.status).toBe(200);
    const deleted = await flow.api("DELETE", `/manager/api/workflows/${workflowId}`);
    expect(deleted.status).toBe(200);
    const email = "ada@example.com";
    const made = await hub.cli("user", "add", email, "--password", "--json");
    const { one_time_password: password } = made.json<{ one_time_password: string }>();
    const base = `http://localhost:${hub.port}`;
    const page = await signIn(createBrowser(), base, { email, password });
    // It asks for a new password.
    expect([page.status, page.url]).toEqual([200, `${base}/auth/password?next=%2Fprofile`]);
  });

  test("the form of a token is refused, and those that end something go on", async () => {
    const email = "ben@example.com";
    await hub.cli("user", "add", email);
    const made = await hub.cli("user", "password", email, "--json");
    const once = made.json<{ one_time_password: string }>().one_time_password;
    const password = "a long enough pass phrase";
    const browser = createPageBrowser(hub.url);
    await browser.go("/profile");
    await browser.submit("/auth/login", { email, password: once });
    const chosen = { current: once, new_password: password, repeated: password };
    await browser.submit("/auth/password", chosen);
    await browser.go("/profile/tokens");
    const refused = await browser.submit("/profile/tokens", { name: "t", expires_in_days: "30" });
    expect([refused.status, browser.html()]).toEqual([507, expect.stringContaining("almost full")]);
    await browser.go("/profile");
    expect((await browser.submit("/profile/sessions/end-others", {})).status).toBe(200);
  });

  test("the log, hub doctor and Health say it", async () => {
    expect(hub.stderr()).toContain("The disk is almost full: new work is refused");
    const examined = await hub.tryCli(["doctor"], { env });
    expect(examined.stdout).toMatch(/fail +disk .*New work is refused until more than 953675 MiB/);
    const { body } = await flow.api("GET", "/admin/api/doctor");
    expect(JSON.stringify(body)).toContain("New work is refused until more than");
  });
});
