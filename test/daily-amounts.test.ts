/** Protects: what a user does and stores in a day has limits, which others and reads do not meet. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readAudit } from "./support/audit.ts";
import { readAnswer } from "./support/mcp-client.ts";
import { createPageBrowser } from "./support/page-browser.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { startWorkflowHub, type WorkflowHub } from "./support/workflow-hub.ts";

const changesPerDay = 4;

let flow: WorkflowHub;
beforeAll(async () => {
  const env = {
    HUB_CHANGES_PER_DAY: String(changesPerDay),
    HUB_AUDIT_USER_BYTES_PER_DAY: "1048576",
  };
  flow = await startWorkflowHub({ env, hasCheapPasswords: true });
});
afterAll(() => flow[Symbol.asyncDispose]());

const makeToken = async (email: string): Promise<string> => {
  await flow.hub.cli("user", "add", email);
  const named = ["--user", email, "--name", "m", "--scope", "manage", "--json"];
  return (await flow.hub.cli("token", "create", ...named)).json<{ token: string }>().token;
};

test("Further changes of a user are refused before their body is read; reads and other users go on", async () => {
  const [ada, ben] = await Promise.all(["ada@x.example", "ben@x.example"].map(makeToken));
  const add = (token = "") => flow.api("POST", "/manager/api/workflows", { name: "New" }, token);
  for (let count = 0; count < changesPerDay; count += 1) expect((await add(ada)).status).toBe(201);
  expect(await add(ada)).toMatchObject({
    status: 429,
    body: { code: "rate_limited", retry_after_s: expect.any(Number) },
  });
  expect((await flow.api("GET", "/manager/api/workflows", undefined, ada)).status).toBe(200);
  expect((await add(ben)).status).toBe(201);
});

nightlyTest(
  "Calls of a user whose records are full go on, and are recorded without their texts",
  async () => {
    const { token } = await flow.hub.addUser("cyd@x.example");
    const call = async (query: string) => {
      const answer = await postRpc(flow.hub.url, token, toToolCall("hub_search", { query }), {
        accept: "application/json",
      });
      return readAnswer((JSON.parse(await answer.text()) as { result: unknown }).result);
    };
    const query = "x".repeat(500);
    const sentAtOnce = Array.from({ length: 50 }, (_, index) => `${index} ${query}`);
    for (let sent = 0; sent < 2_500; sent += sentAtOnce.length) {
      await Promise.all(sentAtOnce.map(call));
    }
    expect((await call("the last one")).isError).toBeFalse();
    const records = readAudit(flow.hub.dataDir).filter(
      ({ operation_key: key }) => key === "hub_search",
    );
    expect(records).toHaveLength(2_501);
    expect(records.filter(({ status }) => status !== "success")).toEqual([]);
    const requests = records.map(({ request }) => String(request));
    expect(requests.filter((request) => request.includes(query)).length).toBeGreaterThan(500);
    const omitted = requests.filter((request) => request.includes("HUB_AUDIT_USER_BYTES_PER_DAY"));
    expect(omitted.length).toBeGreaterThan(100);
  },
);

test("Forms of pages count as changes too", async () => {
  const email = "dee@x.example";
  await flow.hub.cli("user", "add", email);
  const made = await flow.hub.cli("user", "password", email, "--json");
  const once = made.json<{ one_time_password: string }>().one_time_password;
  const password = "a long enough pass phrase";
  const browser = createPageBrowser(flow.hub.url);
  await browser.go("/profile");
  await browser.submit("/auth/login", { email, password: once });
  const chosen = { current: once, new_password: password, repeated: password };
  await browser.submit("/auth/password", chosen);
  for (let count = 0; count < changesPerDay; count += 1) {
    await browser.go("/profile/tokens");
    await browser.submit("/profile/tokens", { name: `t${count}`, expires_in_days: "30" });
  }
  await browser.go("/profile/tokens");
  await browser.submit("/profile/tokens", { name: "t4", expires_in_days: "30" });
  expect(browser.html()).toContain("HUB_CHANGES_PER_DAY");
  await browser.go("/profile/tokens");
  expect(browser.html()).toContain(">t3<");
  expect(browser.html()).not.toContain(">t4<");
});

test("Workflows that a model saves count as changes too", async () => {
  const { token } = await flow.hub.addUser("eve@x.example");
  const call = async (name: string, args: Record<string, unknown>) => {
    const message = toToolCall(name, args);
    const answer = await postRpc(flow.hub.url, token, message, { accept: "application/json" });
    return readAnswer((JSON.parse(await answer.text()) as { result: unknown }).result);
  };
  const found = JSON.stringify(await call("hub_search", { query: "workflow_create" }));
  const toolId = /conn:[^"\\]+\/workflow_create/.exec(found)?.[0];
  const create = () => call("hub_execute", { tool_id: toolId, params: { name: "New" } });
  for (let count = 0; count < changesPerDay; count += 1)
    expect((await create()).isError).toBeFalse();
  const refused = await create();
  expect(JSON.stringify(refused)).toContain("HUB_CHANGES_PER_DAY");
  expect(JSON.stringify(refused)).toContain("rate_limited");
});
