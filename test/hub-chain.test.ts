/** Hubs that are reached over rows with the connector `mcp` of other hubs. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connectHttp } from "./support/connect-sdk-2.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(60_000);

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
  hubs = await Promise.all([startHub(), startHub(), startHub()]);
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

const toExecute = (row: string, params: object) => ({
  ...{ tool_id: `conn:${row}/hub_execute`, params },
});

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

test("A call that comes back to its first hub is refused there, with advice", async () => {
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
