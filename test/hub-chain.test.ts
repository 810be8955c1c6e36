/** Hubs that are reached over rows with the connector `mcp` of other hubs. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { connectHttp } from "./support/connect-sdk-2.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";
import { openWorkflowHub } from "./support/workflow-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
const seen: string[] = [];
let hubs: RunningHub[];
/** Ids of the rows of the first and second hub, to the next one; the third has a row of an API. */
let rows: string[];

beforeAll(async () => {
  const api = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      seen.push(request.url);
      return Response.json({ answer: 42 });
    },
  });
  owned.defer(() => api.stop(true));
  hubs = await Promise.all([1, 2, 3].map(() => startHub({ isHere: true })));
  for (const hub of hubs) owned.use(hub);
  const [first, second, third] = hubs as [RunningHub, RunningHub, RunningHub];
  const shop = await third.cli(
    ...["row", "add", "http", "--label", "Shop", "--set"],
    ...[`base_url=http://127.0.0.1:${api.port}`, "--json"],
  );
  rows = [
    await connectHubs(first, second),
    await connectHubs(second, third),
    shop.json<{ id: string }>().id,
  ];
});
afterAll(() => owned.disposeAsync());

/** A row of one hub whose operations are the meta-tools of the other one. */
async function connectHubs(from: RunningHub, to: RunningHub): Promise<string> {
  const added = await from.tryCli(
    [
      ...["row", "add", "mcp", "--label", `Hub ${to.port}`, "--set", `url=${to.url}/mcp`],
      ...["--set", "auth_mode=bearer", "--secret-stdin", "token", "--json"],
    ],
    { stdin: to.adminToken() },
  );
  const { id } = added.json<{ id: string }>();
  await from.cli("bridge", "discover", id);
  await from.cli("bridge", "approve", id, "--all");
  return id;
}

const toExecute = (row: string, params: object) => ({ tool_id: `conn:${row}/hub_execute`, params });

test("A call passes three hubs, and its result comes back", async () => {
  const [first] = hubs as [RunningHub];
  const [toSecond = "", toThird = "", shop = ""] = rows;
  await using client = await connectHttp(first.url, first.adminToken());
  const last = { tool_id: `conn:${shop}/get`, params: { path: "/item" } };
  const answer = await client.call("hub_execute", toExecute(toSecond, toExecute(toThird, last)));
  expect([answer.isError, JSON.stringify(answer.value)]).toEqual([
    false,
    expect.stringContaining("42"),
  ]);
  expect(seen).toHaveLength(1);
});

nightlyTest("A call that comes back to its first hub is refused there, with advice", async () => {
  const [first, , third] = hubs as [RunningHub, RunningHub, RunningHub];
  const [toSecond = "", toThird = ""] = rows;
  const back = await connectHubs(third, first);
  // The third hub calls the first one, whose row calls the second one, and so on for ever.
  const round = toExecute(toThird, toExecute(back, toExecute(toSecond, toExecute(toThird, {}))));
  const before = await Promise.all(hubs.map(countRuns));
  await using client = await connectHttp(first.url, first.adminToken());
  const answer = await client.call("hub_execute", toExecute(toSecond, round));
  expect(answer).toMatchObject({ isError: true });
  expect(answer.text).toContain("lead in a circle");
  // Each hub had the call once, and the first one once more, which it refused.
  const after = await Promise.all(hubs.map(countRuns));
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([2, 1, 1]);
  // The same row is good for a call that does not come back.
  await using other = await connectHttp(third.url, third.adminToken());
  const list = await other.call("hub_execute", { tool_id: `conn:${back}/hub_info`, params: {} });
  expect(list.isError).toBe(false);
});

test("Workflows that start each other over two hubs are stopped by the path of their runs", async () => {
  const [first, second] = hubs as [RunningHub, RunningHub];
  const [toSecond = ""] = rows;
  const toFirst = await connectHubs(second, first);
  const flows = [await openWorkflowHub(first), await openWorkflowHub(second)] as const;
  const ids = [await flows[0].publish(toNothing), await flows[1].publish(toNothing)] as const;
  const runNow = [await findRunNow(first), await findRunNow(second)] as const;
  const publish = async (at: 0 | 1, row: string, other: 0 | 1) => {
    const params = { tool_id: runNow[other], params: { workflow_id: ids[other] } };
    const node = { id: "go", type: "operation", tool_id: `conn:${row}/hub_execute`, params };
    const path = `/manager/api/workflows/${ids[at]}`;
    const body = { ...toNothing, nodes: [node] };
    const saved = await flows[at].api("PUT", `${path}/draft`, { revision: 1, body });
    expect(saved).toMatchObject({ status: 200 });
    const done = await flows[at].api("POST", `${path}/publish`, { revision: 2 });
    expect(done).toMatchObject({ status: 200 });
  };
  await publish(0, toSecond, 1);
  await publish(1, toFirst, 0);

  await using client = await connectHttp(first.url, first.adminToken());
  await client.call("hub_execute", { tool_id: runNow[0], params: { workflow_id: ids[0] } });
  const listRuns = async (at: 0 | 1) => {
    const { body } = await flows[at].api("GET", `/manager/api/workflows/${ids[at]}/runs`);
    return body.runs as { state: string; error?: unknown }[];
  };
  const ended = await waitFor(async () => {
    const all = await listRuns(1);
    return all.length > 0 && all.every(({ state }) => /succeeded|failed/.test(state)) && all;
  });
  expect(ended).toMatchObject([{ state: "failed" }]);
  expect(JSON.stringify(ended)).toContain("lead in a circle");
  expect(await listRuns(0)).toHaveLength(1);
});

const toNothing: WorkflowBodyInput = {
  triggers: [{ id: "start", type: "manual", entry: "go" }],
  nodes: [{ id: "go", type: "wait", seconds: 0 }],
  edges: [],
};

async function findRunNow(hub: RunningHub): Promise<string> {
  await using client = await connectHttp(hub.url, hub.adminToken());
  const { value } = await client.call("hub_list", { limit: 200 });
  return value.tools.find(({ tool_id: id }: { tool_id: string }) =>
    id.endsWith("/workflow_run_now"),
  ).tool_id;
}

const countRuns = async (hub: RunningHub) =>
  (await hub.cli("runs", "--json", "--limit", "1000")).json<unknown[]>().length;

test("A path that a client invents refuses its own call only, and no text of it is shown", async () => {
  const [, , third] = hubs as [RunningHub, RunningHub, RunningHub];
  const [, , shop = ""] = rows;
  const call = toToolCall("hub_execute", { tool_id: `conn:${shop}/get`, params: { path: "/" } });
  const send = async (path: unknown) => {
    const params = { ...call.params, _meta: { "hub/path": path } };
    const reply = await postRpc(third.url, third.adminToken(), { ...call, params });
    return await reply.text();
  };
  const many = Array.from({ length: 100_000 }, () => crypto.randomUUID());
  expect(await send(many.slice(0, 9))).toContain("has passed 8 hubs");
  expect(await send(many.slice(0, 8))).toContain("42");
  for (const path of ["marker", [{ marker: 1 }, "marker"], { length: 1e9 }, null, [[["marker"]]]]) {
    const answer = await send(path);
    expect(answer).toContain("42");
    expect(answer).not.toContain("marker");
  }
});
