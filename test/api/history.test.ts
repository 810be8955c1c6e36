/** The history over the API: visibility of runs, pages, export, counts, retry and cancel. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { countRunHours } from "@hub/server/store/runs/run-hours.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { waitFor } from "../support/wait-for.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: TestUser;
let ben: TestUser;
let outsider: TestUser;
let admin: TestUser;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  ben = await hub.addUser("ben@example.com", { tags: ["red"] });
  outsider = await hub.addUser("eve@example.com", { tags: ["blue"] });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const get = (who: TestUser, path: string) => hub.request("GET", path, who);
const post = (who: TestUser, path: string) => hub.request("POST", path, who);

describe("The history of a row", () => {
  test("A user sees all runs of a visible row, but payload, token and address only of their own", async () => {
    const { id: row } = await hub.addRow("Shared", ["red"]);
    const own = await hub.greet(ada, row);
    const others = await hub.greet(ben, row);
    const { body } = await get(ada, `/manager/api/rows/${row}/runs`);
    expect(body.runs.map((run: { id: string }) => run.id)).toEqual([others, own]);
    const [ofBen, ofAda] = body.runs;
    expect(ofAda).toMatchObject({ token_id: ada.tokenId, ip_address: "127.0.0.1" });
    expect(ofBen).toMatchObject({ user: "ben@example.com", token_id: null, ip_address: null });

    const shown = async (who: TestUser, run: string) =>
      (await get(who, `/manager/api/runs/${run}`)).body;
    expect(await shown(ada, own)).toMatchObject({ payload_shown: true, request: { name: "Ada" } });
    const hidden = await shown(ada, others);
    expect([hidden.payload_shown, hidden.request, hidden.response]).toEqual([false, null, null]);
    expect(await shown(admin, others)).toMatchObject({
      payload_shown: true,
      request: { name: "Ada" },
    });
  });

  test("A user who does not see a row gets 404 for its history, also for their own calls", async () => {
    const { id: row } = await hub.addRow("Lost", ["blue"]);
    const run = await hub.greet(outsider, row);
    expect((await get(outsider, `/manager/api/runs/${run}`)).status).toBe(200);
    await hub.admin.rows.set(row, { tags: ["red"] });
    for (const path of [`rows/${row}/runs`, `rows/${row}/runs/export`, `runs/${run}`]) {
      const [hidden, absent] = [
        await get(outsider, `/manager/api/${path}`),
        await get(
          outsider,
          `/manager/api/${path.replace(row, crypto.randomUUID()).replace(run, Bun.randomUUIDv7())}`,
        ),
      ];
      expect([path, hidden.status, hidden.body]).toEqual([path, 404, absent.body]);
    }
    expect((await post(outsider, `/manager/api/runs/${run}/retry`)).status).toBe(404);
  });

  test("A row's history can be paged, filtered and exported as JSON lines", async () => {
    const { id: row } = await hub.addRow("Paged", ["red"]);
    const runs: string[] = [];
    for (const who of [ada, ada, ben, ada]) runs.unshift(await hub.greet(who, row));
    const list = async (query: string) =>
      (await get(admin, `/manager/api/rows/${row}/runs?${query}`)).body;
    const first = await list(`user=${ada.user.id}&limit=2`);
    const second = await list(`user=${ada.user.id}&limit=2&before=${first.next}`);
    const seen = [...first.runs, ...second.runs].map((run: { id: string }) => run.id);
    expect(seen).toEqual([runs[0] ?? "", runs[2] ?? "", runs[3] ?? ""]);
    expect(second.next).toBeNull();
    expect((await list("status=error")).runs).toEqual([]);
    expect((await list("from=2100-01-01T00:00:00Z")).runs).toEqual([]);
    expect((await list("to=2100-01-01T00:00:00Z&source=mcp&operation=greet")).runs).toHaveLength(4);

    const { body, headers } = await get(admin, `/manager/api/rows/${row}/runs/export`);
    expect(headers.get("content-type")).toBe("application/x-ndjson");
    const lines = body
      .trim()
      .split("\n")
      .map((line: string) => JSON.parse(line).id);
    expect(lines).toEqual(runs);
  });

  test.each([
    ["status=wrong", "status"],
    ["from=yesterday", "from"],
    ["limit=0", "limit"],
    ["before=x", "before"],
    ["cause_id=x", "cause_id"],
    ["grouped=perhaps", "grouped"],
    [`error=${"x".repeat(101)}`, "error"],
  ])("The invalid filter %s is refused with its name", async (query, name) => {
    const answer = await get(admin, `/manager/api/runs?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"]);
    expect(answer.body.issues[0].path).toBe(name);
  });
});

describe("Runs by connector and by a text in the error", () => {
  test("Runs can be limited to a connector and to a text in their errors", async () => {
    const who = await hub.addUser("tim@example.com", { tags: ["red"] });
    const { id: row } = await hub.addRow("Failing", ["red"]);
    const done = await hub.greet(who, row);
    await using client = await connectHttp(hub.url, who.token);
    await client.execute(`conn:${row}/greet`, {});
    await client.call("hub_get", { tool_id: "conn:absent/none" });
    const list = async (caller: TestUser, path: string) =>
      (await get(caller, path)).body.runs.map((run: Record<string, unknown>) => run.error_code);
    const { connector } = (await get(admin, `/manager/api/rows/${row}`)).body;
    const all = `/manager/api/runs?user=${who.user.id}`;
    expect(await list(admin, all)).toHaveLength(3);
    expect(await list(admin, `${all}&connector=${connector}`)).toEqual(["invalid_params", null]);
    expect(await list(admin, `${all}&connector=absent`)).toEqual([]);
    expect(await list(admin, `${all}&error=INVALID_P`)).toEqual(["invalid_params"]);
    expect(await list(who, `/profile/api/runs?connector=${connector}`)).toHaveLength(2);
    expect(await list(who, "/profile/api/runs?error=invalid_p")).toEqual(["invalid_params"]);
    const exported = await get(admin, `/manager/api/runs/export?user=${who.user.id}&error=invalid`);
    expect([exported.body.trim().split("\n").length, exported.body.includes(done)]).toEqual([
      1,
      false,
    ]);
  });

  test("A user cannot search the errors of other users, which they do not see", async () => {
    const { id: row } = await hub.addRow("Private errors", ["red"]);
    await using client = await connectHttp(hub.url, ada.token);
    await client.execute(`conn:${row}/greet`, {});
    const count = async (who: TestUser, query: string) =>
      (await get(who, `/manager/api/rows/${row}/runs?${query}`)).body.runs.length;
    expect(await count(ben, "status=error")).toBe(1);
    expect(await count(ada, "error=name")).toBe(1);
    expect(await count(admin, "error=name")).toBe(1);
    expect(await count(ben, "error=name")).toBe(0);
    expect(await count(ben, `error=name&user=${ada.user.id}`)).toBe(0);
    expect(await count(ada, `error=name&user=${ada.user.id}`)).toBe(1);
  });
});

describe("What a list says of calls", () => {
  test("A line has what distinguishes the call from others and its client, for those who see the request", async () => {
    const { id: row } = await hub.addRow("Telling", ["red"]);
    const run = await hub.greet(ada, row);
    const find = async (who: TestUser, path: string) =>
      (await get(who, path)).body.runs.find(({ id }: { id: string }) => id === run);
    const shown = { argument: "Ada", client: expect.any(String) };
    expect(await find(ada, "/profile/api/runs")).toMatchObject(shown);
    expect(await find(admin, `/manager/api/runs?row=${row}`)).toMatchObject(shown);
    const hidden = { argument: null, client: null, user: "ada@example.com" };
    expect(await find(ben, `/manager/api/rows/${row}/runs`)).toMatchObject(hidden);
    expect((await get(ben, `/manager/api/runs/${run}`)).body).toMatchObject(hidden);
    const exported = await get(ben, `/manager/api/rows/${row}/runs/export`);
    expect(JSON.parse(exported.body.trim())).toMatchObject(hidden);
  });

  test("Errors are grouped with a filter that finds them, and users have those of their own calls only", async () => {
    const { id: row } = await hub.addRow("Grouped", ["red"]);
    for (const who of [ada, ben]) {
      await using client = await connectHttp(hub.url, who.token);
      await client.execute(`conn:${row}/greet`, {});
    }
    const all = (await get(admin, `/manager/api/runs/errors?row=${row}`)).body;
    expect(all).toMatchObject({ calls: 2, total: 1, counted_from: null });
    expect(all.groups[0]).toMatchObject({ row_label: "Grouped", calls: 2, users_total: 2 });
    const query = new URLSearchParams(all.groups[0].filter);
    expect((await get(admin, `/manager/api/runs?${query}`)).body.runs).toHaveLength(2);
    const exported = await get(admin, `/manager/api/runs/export?${query}`);
    expect(exported.body.trim().split("\n")).toHaveLength(2);
    const own = (await get(ada, `/profile/api/runs/errors?row=${row}`)).body;
    expect(own.groups).toMatchObject([{ calls: 1, users: ["ada@example.com"], users_total: 1 }]);

    const lines = (await get(ada, `/profile/api/runs/export?${query}`)).body.trim().split("\n");
    expect(lines.map((line: string) => JSON.parse(line).user)).toEqual(["ada@example.com"]);

    const figures = (await get(admin, `/manager/api/runs/figures?row=${row}`)).body;
    expect(figures).toMatchObject({ calls: 2, errors: 2, error_rate: 1 });
    expect(figures.users).toHaveLength(2);
    const mine = (await get(ada, `/profile/api/runs/figures?row=${row}`)).body;
    expect(mine).toMatchObject({ calls: 1, users: [{ user: "ada@example.com" }] });
    await hub.admin.rows.set(row, { tags: ["blue"] });
    const after = (await get(ada, `/profile/api/runs/errors?row=${row}`)).body;
    expect(after).toMatchObject({ calls: 0, groups: [] });
  });
});

test("A call of an operation that its caller does not see is not shown with the address that it has", async () => {
  const kay = await hub.addUser("kay@example.com", { tags: ["red"] });
  const values = { base_url: "https://api.example.com" };
  const parameters = [{ name: "name", in: "path", required: true, schema: { type: "string" } }];
  const document = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Deals", version: "1" },
    paths: { "/takeovers/{name}": { get: { operationId: "deal", parameters } } },
  });
  await using client = await connectHttp(hub.url, kay.token);
  for (const tags of [["blue"], ["red"]]) {
    const added = await hub.admin.rows.add({ connector: "openapi", label: "Deals", tags, values });
    const path = `/manager/api/rows/${added.id}/discover`;
    const body = { document };
    expect((await hub.request("POST", path, { headers: admin.headers, body })).status).toBe(200);
    await client.execute(`conn:${added.id}/deal`, { name: "Kay" });
  }
  const { runs } = (await get(kay, "/profile/api/runs")).body;
  expect(runs).toHaveLength(2);
  expect(JSON.stringify(runs)).not.toContain("takeovers");
});

describe("A user's own history", () => {
  const list = async (who: TestUser, query = "") =>
    (await get(who, `/profile/api/runs${query}`)).body.runs.map(
      (run: { operation_key: string }) => run.operation_key,
    );

  test("A user's history contains only their own calls, including calls of meta-tools", async () => {
    const mia = await hub.addUser("mia@example.com", { tags: ["red"] });
    const { id: row } = await hub.addRow("Mine", ["red"]);
    await hub.greet(ada, row);
    await hub.greet(mia, row);
    await using client = await connectHttp(hub.url, mia.token);
    await client.call("hub_list");
    expect(await list(mia)).toEqual(["hub_list", "greet"]);
    expect(await list(mia, "?operation=greet")).toEqual(["greet"]);
    expect(await list(mia, `?row=${row}&status=success`)).toEqual(["greet"]);
    const { runs } = (await get(mia, "/profile/api/runs")).body;
    const shown = await get(mia, `/manager/api/runs/${runs[0].id}`);
    expect([shown.status, shown.body.connector_id]).toEqual([200, null]);
    // Only the caller sees a call of a meta-tool, even if others see the same rows.
    expect((await get(ada, `/manager/api/runs/${runs[0].id}`)).status).toBe(404);
  });

  /** The user's history as the MCP tool returns it. */
  async function listOverMcp(who: TestUser): Promise<string> {
    await using client = await connectHttp(hub.url, who.token);
    const { tools } = (await client.call("hub_search", { query: "My recent calls" })).value;
    return JSON.stringify((await client.execute(tools[0].tool_id, {})).value);
  }

  test("A call of a hidden or absent row is in its caller's history only", async () => {
    const kim = await hub.addUser("kim@example.com", { tags: ["blue"] });
    const { id: row } = await hub.addRow("Unseen", ["red"]);
    await using client = await connectHttp(hub.url, kim.token);
    for (const id of [row, crypto.randomUUID()]) {
      await client.execute(`conn:${id}/greet`, { name: "Kim" });
    }
    const { runs } = (await get(kim, "/profile/api/runs")).body;
    const shown = await Promise.all(
      runs.map(async ({ id }: { id: string }) => (await get(kim, `/manager/api/runs/${id}`)).body),
    );
    const facts = shown.map(({ row_label, error_code, status }) => [row_label, error_code, status]);
    expect(facts).toEqual(Array(2).fill([null, "not_found", "denied"]));
    expect((await get(ada, `/manager/api/runs/${runs[0].id}`)).status).toBe(404);
    expect(await listOverMcp(kim)).not.toContain("Unseen");
  });

  test("A user's history omits the calls of rows that the user no longer sees", async () => {
    const zoe = await hub.addUser("zoe@example.com", { tags: ["red"] });
    const { id: row } = await hub.addRow("Gone", ["red"]);
    await hub.greet(zoe, row);
    expect(await list(zoe)).toEqual(["greet"]);
    await hub.admin.rows.set(row, { tags: ["blue"] });
    expect([await list(zoe), await list(zoe, `?row=${row}`)]).toEqual([[], []]);
    const history = await listOverMcp(zoe);
    expect([history.includes("Gone"), history.includes(row)]).toEqual([false, false]);
    await hub.admin.rows.set(row, { tags: ["red"] });
    expect(await list(zoe, `?row=${row}`)).toEqual(["greet"]);
  });
});

test.each([
  "to=9999-12-31T23:59:59Z",
  "from=9999-12-31T23:59:59-23:59",
  "to=0000-01-01T00:00:00Z",
  "from=0000-01-01T00:00:00%2B23:59",
])("Statistics are answered for %s, at the end of the calendar", async (query) => {
  for (const path of [
    "/manager/api/runs/summary",
    "/manager/api/runs/counts",
    "/profile/api/runs/counts",
  ]) {
    const { status, body } = await get(admin, `${path}?${query}`);
    expect([path, status, body.code]).toEqual([path, 200, undefined]);
  }
});

test("The summary counts finished calls by outcome, row and hour", async () => {
  const { id: row } = await hub.addRow("Counted", ["red"]);
  await hub.greet(ada, row);
  await hub.greet(ben, row);
  await countRunHours(hub.store.db, { endedBefore: Date.now() + 1 });
  const { body } = await get(admin, `/manager/api/runs/summary?row=${row}`);
  expect(body.total).toMatchObject({ runs: 2, by_status: { success: 2 } });
  expect(body.by_row).toMatchObject([{ connector_id: row, label: "Counted", runs: 2 }]);
  expect(body.series.reduce((sum: number, point: { runs: number }) => sum + point.runs, 0)).toBe(2);
});

test("A user's own calls are counted by hour, with the filters of the list and without hidden rows", async () => {
  const who = await hub.addUser("lea@example.com", { tags: ["red"] });
  const { id: row } = await hub.addRow("Own counts", ["red"]);
  const { id: lost } = await hub.addRow("Lost counts", ["red"]);
  await hub.greet(ada, row);
  await hub.greet(who, row);
  await hub.greet(who, lost);
  await using client = await connectHttp(hub.url, who.token);
  await client.execute(`conn:${row}/greet`, {});
  const count = async (path: string, caller = who) => {
    const { body } = await get(caller, path);
    const sum = (status: string) =>
      body.series.reduce(
        (all: number, point: { by_status: Record<string, number> }) =>
          all + (point.by_status[status] ?? 0),
        0,
      );
    return [body.runs, sum("success"), sum("error"), body.counted_from];
  };
  const own = "/profile/api/runs/counts";
  expect(await count(own)).toEqual([3, 2, 1, null]);
  await hub.admin.rows.set(lost, { tags: ["blue"] });
  expect(await count(own)).toEqual([2, 1, 1, null]);
  expect(await count(`${own}?row=${lost}`)).toEqual([0, 0, 0, null]);
  expect(await count(`${own}?error=name`)).toEqual([1, 0, 1, null]);
  expect(await count(`${own}?status=success&to=2000-01-01T00:00:00Z`)).toEqual([0, 0, 0, null]);
  const all = `/manager/api/runs/counts?user=${who.user.id}`;
  expect(await count(all, admin)).toEqual([3, 2, 1, null]);
  expect(await count(`${all}&row=${lost}`, admin)).toEqual([1, 1, 0, null]);
});

test("A retry is a separate run, and the original run lists it", async () => {
  const { id: row } = await hub.addRow("Retried", ["red"]);
  const run = await hub.greet(ada, row);
  const { status, body } = await post(ada, `/manager/api/runs/${run}/retry`);
  expect([status, body.result.greeting]).toEqual([200, "Hello Ada"]);
  const { retries } = (await get(ada, `/manager/api/runs/${run}`)).body;
  expect(retries).toEqual([body.run_id]);
  const again = (await get(ada, `/manager/api/runs/${body.run_id}`)).body;
  expect(again).toMatchObject({ parent_run_id: run, source: "retry", status: "success" });

  const form = await get(admin, `/manager/api/runs/${run}/form`);
  expect(form.body).toEqual({ tool_id: `conn:${row}/greet`, params: { name: "Ada" } });
});

describe("A test by a former admin", () => {
  /** Tests an operation as an admin. Returns functions that retry the test and demote the admin. */
  async function testThenDemote(operation: string, params: object) {
    const { id: row } = await hub.addRow("Tested", ["red"]);
    const email = `${crypto.randomUUID()}@example.com`;
    const former = await hub.addUser(email, { admin: true, tags: ["red"] });
    const path = `/manager/api/rows/${row}/operations/${operation}/test`;
    const tested = await hub.request("POST", path, { ...former, body: { params } });
    expect(tested.status).toBe(200);
    const retry = () => post(former, `/manager/api/runs/${tested.body.run_id}/retry`);
    const demote = () => hub.admin.users.set(email, { role: "user" });
    return { row, retry, demote };
  }

  test.each([
    ["an operation behind a widget", "places", {}],
    ["a maintenance operation", "prune", { arg: 3 }],
  ])("A former admin cannot retry a test of %s, which is hidden from users", async (_, operation, params) => {
    const { retry, demote } = await testThenDemote(operation, params);
    const again = await retry();
    expect(again.status).toBe(200);
    expect((await post(admin, `/manager/api/runs/${again.body.run_id}/retry`)).status).toBe(403);
    await demote();
    const refused = await retry();
    expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
  });

  test("A former admin cannot retry a test on a disabled row or operation", async () => {
    const { row, retry, demote } = await testThenDemote("greet", { name: "Ada" });
    await hub.admin.operations.disable(row, "greet");
    expect((await retry()).status).toBe(200);
    await demote();
    expect((await retry()).body.code).toBe("operation_disabled");
    await hub.admin.operations.enable(row, "greet");
    expect((await retry()).body.result.greeting).toBe("Hello Ada");
    await hub.admin.rows.disable(row);
    expect((await retry()).body.code).toBe("connector_disabled");
  });
});

test("An admin can retry a retry of a test of an admin-only operation", async () => {
  const { id: row } = await hub.addRow("Again", ["red"]);
  const path = `/manager/api/rows/${row}/operations/prune/test`;
  const tested = await hub.request("POST", path, { ...admin, body: { params: { arg: 3 } } });
  const first = await post(admin, `/manager/api/runs/${tested.body.run_id}/retry`);
  const second = await post(admin, `/manager/api/runs/${first.body.run_id}/retry`);
  expect([second.status, second.body.result]).toEqual([200, { pruned: 3 }]);
});

describe("A running call", () => {
  /** Calls `wait`, which waits until it is cancelled. Returns the id of its run, and its answer. */
  async function startWaiting(who: TestUser, url = hub.url) {
    const { id: row } = await hub.addRow("Waiting", ["red"]);
    const client = await connectHttp(url, who.token);
    const answer = client.execute(`conn:${row}/wait`, {});
    const run = await waitFor(async () => {
      const [found] = await hub.admin.runs.list({ row, status: "running" });
      return found?.id ?? null;
    });
    return { run, answer: answer.finally(() => client[Symbol.asyncDispose]()) };
  }

  test("An admin can stop a running call, and its caller gets the reason", async () => {
    const { run, answer } = await startWaiting(ada);
    expect((await post(ben, `/manager/api/runs/${run}/cancel`)).status).toBe(403);
    expect((await post(admin, `/manager/api/runs/${run}/cancel`)).body).toEqual({
      id: run,
      cancelling: true,
    });
    expect(await answer).toMatchObject({
      isError: true,
      value: { code: "cancelled", error: "The call was stopped by an admin." },
    });
    expect((await get(ada, `/manager/api/runs/${run}`)).body.status).toBe("cancelled");
  });

  test("A caller can stop a running call", async () => {
    const { run, answer } = await startWaiting(ada);
    expect((await post(ada, `/manager/api/runs/${run}/cancel`)).status).toBe(200);
    expect((await answer).value.error).toBe("The call was stopped by its caller.");
  });

  nightlyTest("A running call of another process can be stopped", async () => {
    await using other = await openApiHub({ HUB_DATA_DIR: hub.dataDir });
    const { run, answer } = await startWaiting(ada, other.url);
    await post(ada, `/manager/api/runs/${run}/cancel`);
    expect((await answer).value.code).toBe("cancelled");
  });
});
