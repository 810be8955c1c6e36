/** The history over the API: who sees what of whose calls, pages, export, figures, retry and cancel. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countRunHours } from "@hub/server/store/run-hours.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { waitFor } from "../support/wait-for.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type Asker = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: Asker;
let ben: Asker;
let outsider: Asker;
let admin: Asker;
beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  ben = await hub.addUser("ben@example.com", { tags: ["red"] });
  outsider = await hub.addUser("eve@example.com", { tags: ["blue"] });
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

const get = (who: Asker, path: string) => hub.ask("GET", path, who);
const post = (who: Asker, path: string) => hub.ask("POST", path, who);

describe("a row's history", () => {
  test("tells who sees the row of every call, and of other people's no more than that", async () => {
    const { id: row } = await hub.addRow("Shared", ["red"]);
    const own = await hub.greet(ada, row);
    const others = await hub.greet(ben, row);
    const { body } = await get(ada, `/manager/api/rows/${row}/runs`);
    expect(body.runs.map((run: { id: string }) => run.id)).toEqual([others, own]);
    const [ofBen, ofAda] = body.runs;
    expect(ofAda).toMatchObject({ token_id: ada.tokenId, ip_address: "127.0.0.1" });
    expect(ofBen).toMatchObject({ user: "ben@example.com", token_id: null, ip_address: null });

    const shown = async (who: Asker, run: string) =>
      (await get(who, `/manager/api/runs/${run}`)).body;
    expect(await shown(ada, own)).toMatchObject({ payload_shown: true, request: { name: "Ada" } });
    const hidden = await shown(ada, others);
    expect([hidden.payload_shown, hidden.request, hidden.response]).toEqual([false, null, null]);
    expect(await shown(admin, others)).toMatchObject({
      payload_shown: true,
      request: { name: "Ada" },
    });
  });

  test("is not there for who does not see the row, their own calls neither", async () => {
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

  test("comes in pages, filtered, and as lines", async () => {
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
  ])("refuses the filter %s with a sentence that names it", async (query, name) => {
    const answer = await get(admin, `/manager/api/runs?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, "bad_request"]);
    expect(answer.body.issues[0].path).toBe(name);
  });
});

describe("one's own history", () => {
  const list = async (who: Asker, query = "") =>
    (await get(who, `/profile/api/runs${query}`)).body.runs.map(
      (run: { operation_key: string }) => run.operation_key,
    );

  test("holds one's own calls alone, those of meta-tools among them", async () => {
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
    // What somebody asked of the hub itself is theirs alone, whoever shares their rows.
    expect((await get(ada, `/manager/api/runs/${runs[0].id}`)).status).toBe(404);
  });

  /** What the tool for it tells a model, without the call of that tool itself. */
  async function listOverMcp(who: Asker): Promise<string> {
    await using client = await connectHttp(hub.url, who.token);
    const { tools } = (await client.call("hub_search", { query: "My recent calls" })).value;
    return JSON.stringify((await client.execute(tools[0].tool_id, {})).value);
  }

  test("holds what reached no row, as its caller's own business", async () => {
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

  test("lacks the calls of a row that one does not see any more", async () => {
    const zoe = await hub.addUser("zoe@example.com", { tags: ["red"] });
    const { id: row } = await hub.addRow("Gone", ["red"]);
    await hub.greet(zoe, row);
    expect(await list(zoe)).toEqual(["greet"]);
    await hub.admin.rows.set(row, { tags: ["blue"] });
    expect([await list(zoe), await list(zoe, `?row=${row}`)]).toEqual([[], []]);
    const told = await listOverMcp(zoe);
    expect([told.includes("Gone"), told.includes(row)]).toEqual([false, false]);
    await hub.admin.rows.set(row, { tags: ["red"] });
    expect(await list(zoe, `?row=${row}`)).toEqual(["greet"]);
  });
});

test("figures count finished calls by outcome, row and hour", async () => {
  const { id: row } = await hub.addRow("Counted", ["red"]);
  await hub.greet(ada, row);
  await hub.greet(ben, row);
  await countRunHours(hub.store.db, { endedBefore: Date.now() + 1 });
  const { body } = await get(admin, `/manager/api/runs/summary?row=${row}`);
  expect(body.total).toMatchObject({ runs: 2, by_status: { success: 2 } });
  expect(body.by_row).toMatchObject([{ connector_id: row, label: "Counted", runs: 2 }]);
  expect(body.series.reduce((sum: number, point: { runs: number }) => sum + point.runs, 0)).toBe(2);
});

test("a retry is a run of its own, and the run it repeats names it", async () => {
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

describe("a test by an admin who is none any more", () => {
  /** Tests an operation as an admin, who then becomes a user; answers the test's run. */
  async function testThenDemote(operation: string, params: object) {
    const { id: row } = await hub.addRow("Tested", ["red"]);
    const email = `${crypto.randomUUID()}@example.com`;
    const former = await hub.addUser(email, { admin: true, tags: ["red"] });
    const path = `/manager/api/rows/${row}/operations/${operation}/test`;
    const tested = await hub.ask("POST", path, { ...former, body: { params } });
    expect(tested.status).toBe(200);
    const retry = () => post(former, `/manager/api/runs/${tested.body.run_id}/retry`);
    const demote = () => hub.admin.users.set(email, { role: "user" });
    return { row, retry, demote };
  }

  test.each([
    ["an operation behind a widget", "places", {}],
    ["a maintenance operation", "prune", { arg: 3 }],
  ])("does not run %s again: it is not there for users", async (_, operation, params) => {
    const { retry, demote } = await testThenDemote(operation, params);
    const again = await retry();
    expect(again.status).toBe(200);
    expect((await post(admin, `/manager/api/runs/${again.body.run_id}/retry`)).status).toBe(403);
    await demote();
    const refused = await retry();
    expect([refused.status, refused.body.code]).toEqual([404, "not_found"]);
  });

  test("does not reach a row, operation or connector that is switched off", async () => {
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

test("an admin replays a test's replay by the same path as the test", async () => {
  const { id: row } = await hub.addRow("Again", ["red"]);
  const path = `/manager/api/rows/${row}/operations/prune/test`;
  const tested = await hub.ask("POST", path, { ...admin, body: { params: { arg: 3 } } });
  const first = await post(admin, `/manager/api/runs/${tested.body.run_id}/retry`);
  const second = await post(admin, `/manager/api/runs/${first.body.run_id}/retry`);
  expect([second.status, second.body.result]).toEqual([200, { pruned: 3 }]);
});

describe("a running call", () => {
  /** Calls `wait`, which waits until it is stopped; the id of its run, and its answer. */
  async function startWaiting(who: Asker, url = hub.url) {
    const { id: row } = await hub.addRow("Waiting", ["red"]);
    const client = await connectHttp(url, who.token);
    const answer = client.execute(`conn:${row}/wait`, {});
    const run = await waitFor(async () => {
      const [found] = await hub.admin.runs.list({ row, status: "running" });
      return found?.id ?? null;
    });
    return { run, answer: answer.finally(() => client[Symbol.asyncDispose]()) };
  }

  test("is stopped by an admin, and its caller is told so", async () => {
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

  test("is stopped by its caller", async () => {
    const { run, answer } = await startWaiting(ada);
    expect((await post(ada, `/manager/api/runs/${run}/cancel`)).status).toBe(200);
    expect((await answer).value.error).toBe("The call was stopped by its caller.");
  });

  test("is stopped in whichever process it runs", async () => {
    await using other = await openApiHub({ HUB_DATA_DIR: hub.dataDir });
    const { run, answer } = await startWaiting(ada, other.url);
    await post(ada, `/manager/api/runs/${run}/cancel`);
    expect((await answer).value.code).toBe("cancelled");
  });
});
