import { describe, expect, test } from "bun:test";
import { createHeldRun } from "../testing/held-run.ts";
import { ben, openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, postStateless, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";
import { until } from "../testing/until.ts";
import type { CallName } from "./in-flight.ts";

function open() {
  const held = createHeldRun();
  return { held, ...openTestMcp({ run: held.run }) };
}

function cancelled(requestId: unknown) {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
}

const call = { name: "hub_execute", arguments: { tool_id: "x" } };

async function expectCancelled(answer: Promise<Response>): Promise<void> {
  const { result } = await readJson(await answer);
  expect(JSON.parse(result.content[0].text).code).toBe("cancelled");
}

describe("notifications/cancelled", () => {
  test("A cancellation aborts the call, which is answered and recorded as cancelled", async () => {
    const { mcp, held, rows } = open();
    const answer = post(mcp, execute());
    await held.started;
    expect((await post(mcp, cancelled(1))).status).toBe(202);
    await expectCancelled(answer);
    expect(rows).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("A cancellation affects calls of its own session only", async () => {
    const { mcp, held } = open();
    const answer = post(mcp, execute(), { headers: { "Mcp-Session-Id": "one" } });
    const ctx = await held.started;
    await post(mcp, cancelled(1), { headers: { "Mcp-Session-Id": "two" } });
    await post(mcp, cancelled(1));
    expect(ctx.signal.aborted).toBe(false);
    await post(mcp, cancelled(1), { headers: { "Mcp-Session-Id": "one" } });
    await expectCancelled(answer);
  });

  test("A cancellation with the new session id finds a call made under the old id", async () => {
    const { mcp, held } = open();
    const first = await post(mcp, request("ping"), { headers: { "Mcp-Session-Id": "old" } });
    const answer = post(mcp, execute(), { headers: { "Mcp-Session-Id": "old" } });
    await held.started;
    const fresh = first.headers.get("mcp-session-id") ?? "";
    await post(mcp, cancelled(1), { headers: { "Mcp-Session-Id": fresh } });
    await expectCancelled(answer);
  });

  test("A cancellation by another user, of another id or without an id does not affect the call", async () => {
    const { mcp, held } = open();
    const answer = post(mcp, execute());
    const ctx = await held.started;
    await post(mcp, cancelled(1), { caller: ben });
    for (const id of ["1", 2, null, {}, undefined]) await post(mcp, cancelled(id));
    expect(ctx.signal.aborted).toBe(false);
    held.end("done");
    expect((await readJson(await answer)).result.isError).toBeUndefined();
  });
});

describe("notifications/cancelled with several servers", () => {
  const session = { "Mcp-Session-Id": "of-the-client" };

  function openServer() {
    const elsewhere: CallName[] = [];
    const held = createHeldRun();
    const cancelElsewhere = (name: CallName) => void elsewhere.push(name);
    return { held, elsewhere, ...openTestMcp({ run: held.run, cancelElsewhere }) };
  }

  test("A server announces a request that it does not run, by the client's own session id", async () => {
    const [one, two] = [openServer(), openServer()];
    const answer = post(one.mcp, execute(), { headers: session });
    await one.held.started;
    const reply = await post(two.mcp, cancelled(1), { headers: session });
    expect([reply.status, reply.headers.get("mcp-session-id")]).toEqual([202, null]);
    expect(two.elsewhere).toMatchObject([{ owner: "ada", session: "of-the-client" }]);
    for (const name of two.elsewhere) {
      one.mcp.cancelRequest({ ...name, owner: "ben" });
      one.mcp.cancelRequest({ ...name, session: "another" });
    }
    expect((await one.held.started).signal.aborted).toBe(false);
    for (const name of two.elsewhere) one.mcp.cancelRequest(name);
    await expectCancelled(answer);
    expect(one.elsewhere).toEqual([]);
  });

  test("A request that runs here, and one without a session, are not announced", async () => {
    const { mcp, held, elsewhere } = openServer();
    const answer = post(mcp, execute(), { headers: session });
    await held.started;
    await post(mcp, cancelled(1), { headers: session });
    await post(mcp, cancelled(2));
    await expectCancelled(answer);
    expect(elsewhere).toEqual([]);
  });
});

describe("a disconnect", () => {
  test("A disconnect in the session mode does not cancel the call, which is run and recorded", async () => {
    const { mcp, held, rows } = open();
    const leaving = new AbortController();
    const answer = post(mcp, execute(), { signal: leaving.signal });
    const ctx = await held.started;
    leaving.abort();
    expect(ctx.signal.aborted).toBe(false);
    held.end("done");
    await answer;
    expect(rows).toMatchObject([{ outcome: "success" }]);
  });

  test("Closing the event stream in the session mode does not cancel the call", async () => {
    const { mcp, held, rows } = open();
    const response = await post(mcp, execute(), { headers: { Accept: "text/event-stream" } });
    const ctx = await held.started;
    await response.body?.cancel();
    expect(ctx.signal.aborted).toBe(false);
    held.end("done");
    await until(() => rows.length > 0);
    expect(rows).toMatchObject([{ outcome: "success" }]);
  });

  test("A disconnect in the stateless mode cancels the call, and the run is recorded as cancelled", async () => {
    const { mcp, held, rows } = open();
    const leaving = new AbortController();
    const answer = postStateless(mcp, "tools/call", call, { signal: leaving.signal });
    await held.started;
    leaving.abort();
    await expectCancelled(answer);
    expect(rows).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("Closing the event stream in the stateless mode cancels the call", async () => {
    const { mcp, held } = open();
    const headers = { Accept: "text/event-stream" };
    const response = await postStateless(mcp, "tools/call", call, { headers });
    const ctx = await held.started;
    await response.body?.cancel();
    expect(ctx.signal.aborted).toBe(true);
  });

  test("A disconnect in the stateless mode before the call starts cancels it", async () => {
    const { mcp, held } = open();
    const answer = postStateless(mcp, "tools/call", call, { signal: AbortSignal.abort() });
    expect((await held.started).signal.aborted).toBe(true);
    await expectCancelled(answer);
  });
});

test("Closing cancels running calls and waits until they are recorded", async () => {
  const { mcp, held, rows } = open();
  const answer = post(mcp, execute());
  await held.started;
  await mcp.close();
  expect(rows).toMatchObject([{ outcome: "cancelled" }]);
  await expectCancelled(answer);
});

describe("more running requests than the limit", () => {
  test("Calls above the limit get rate_limited and are recorded, until others have ended", async () => {
    const held = createHeldRun();
    const { mcp, rows } = openTestMcp({ run: held.run, requestsMax: 1 });
    const first = post(mcp, execute());
    await held.started;
    const { result } = await readJson(await post(mcp, { ...execute(), id: 2 }));
    expect(JSON.parse(result.content[0].text).code).toBe("rate_limited");
    expect(rows).toMatchObject([{ operationKey: "hub_execute", outcome: "rate_limited" }]);
    held.end("done");
    await first;
    const later = await readJson(await post(mcp, { ...execute(), id: 3 }));
    expect(later.result.isError).toBeUndefined();
  });
});
