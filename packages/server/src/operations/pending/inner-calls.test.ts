/** Protects: a call within a message, a script or a step is asked about as one that comes alone, and runs once. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { runSql } from "../../store/testing/run-sql.ts";
import { createInnerCalls } from "../batches/inner-calls.ts";
import type { WorkflowCause } from "../operations.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

let hub: Awaited<ReturnType<typeof openAskedHub>>;
beforeAll(async () => {
  hub = await openAskedHub();
});
afterAll(() => hub.close());
beforeEach(() => {
  hub.sent.length = 0;
});

const step: WorkflowCause = {
  kind: "workflow",
  id: "run-1",
  startedBy: "cron",
  idempotencyKey: "key",
  step: { nodeId: "scripted", item: -1, attempt: 1 },
};

test("The other calls of a batch go on, and a repeated batch runs none twice", async () => {
  const rowId = await hub.addAskedRow();
  const toolId = `conn:${rowId}/fetch`;
  const calls = ["free-1", "asked", "free-2"].map((text) => ({
    toolId: text === "asked" ? toolId : `conn:${rowId}/look`,
    params: text === "asked" ? { text } : {},
  }));
  const read = async () =>
    (await hub.operations.batches.read(hub.toContext(), { calls })).value as {
      results: Record<string, unknown>[];
    };
  const first = await read();
  expect(first.results.map(({ status }) => status)).toEqual(["success", "denied", "success"]);
  const asked = first.results[1];
  expect(asked).toMatchObject({ code: "approval_required", reason: "approval", decider: "you" });
  const id = String(asked?.pending_id);
  // The same question, as long as it is open.
  expect((await read()).results[1]?.pending_id).toBe(id);
  await hub.decide(id, "approved");
  const second = await read();
  expect(second.results.map(({ status }) => status)).toEqual(["success", "success", "success"]);
  expect(second.results[1]?.result).toEqual({ fetched: "asked" });
  const third = await read();
  expect(third.results[1]?.result).toEqual({ fetched: "asked" });
  expect(hub.sent).toEqual(["asked"]);
});

test("Two equal calls of one batch are one question, and run once", async () => {
  const rowId = await hub.addAskedRow();
  const call = { toolId: `conn:${rowId}/fetch`, params: { text: "twice" } };
  const read = async () =>
    (await hub.operations.batches.read(hub.toContext(), { calls: [call, call] })).value as {
      results: Record<string, unknown>[];
    };
  const ids = (await read()).results.map(({ pending_id: id }) => String(id));
  expect(ids[0]).toBe(ids[1] ?? "");
  await hub.decide(ids[0] ?? "", "approved");
  await read();
  expect(hub.sent).toEqual(["twice"]);
});

test("A script gets the error with its page, and its next run the result", async () => {
  const rowId = await hub.addAskedRow();
  const request = { toolId: `conn:${rowId}/send`, params: { text: "scripted" } };
  const run = () =>
    createInnerCalls({ calls: hub.operations.calls }, hub.toContext(), {
      kind: "script",
      id: crypto.randomUUID(),
    }).call(request);
  const first = await run();
  if (first.status === "success") throw new Error("It ran unasked");
  expect([first.status, first.error.code]).toEqual(["denied", "approval_required"]);
  expect(String(first.error.detail.url)).toContain("/approvals/calls/");
  await hub.decide(String(first.error.detail.pending_id), "approved");
  expect([(await run()).status, (await run()).status]).toEqual(["success", "success"]);
  expect(hub.sent).toEqual(["scripted"]);
});

test("A script in a workflow uses no approval of its owner's pages, and asks for none", async () => {
  const rowId = await hub.addAskedRow();
  const request = { toolId: `conn:${rowId}/send`, params: { text: "of a workflow" } };
  const id = await hub.ask(rowId, request.params);
  await hub.decide(id, "approved");
  const ctx = { ...hub.toContext(), cause: step };
  const inner = createInnerCalls({ calls: hub.operations.calls }, ctx, { kind: "script", id: "s" });
  const answer = await inner.call(request);
  expect(answer).toMatchObject({ status: "denied", error: { code: "refused_by_rule" } });
  expect(hub.sent).toEqual([]);
  expect(await hub.findState(id)).toBe("approved");
});

test("A button in a form of a connector asks no person, and runs nothing", async () => {
  const rowId = await hub.addAskedRow();
  const request = { toolId: `conn:${rowId}/send`, params: { text: "clicked" } };
  const ctx = hub.toContext();
  const admin = { ...ctx, caller: { ...ctx.caller, role: "admin" as const } };
  const click = hub.operations.rows.test(admin, { ...request, widget: { inputs: {} } });
  await expect(click).rejects.toMatchObject({
    code: "refused_by_rule",
    message: expect.stringContaining("a button in a form cannot wait"),
  });
  expect(hub.sent).toEqual([]);
  const stored = await runSql(hub.db, "select id from pending_calls where row_id = ?", rowId);
  expect(stored).toEqual([]);
});
