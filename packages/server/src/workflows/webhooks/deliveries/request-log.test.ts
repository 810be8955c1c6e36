import { expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import type { WebhookRequest } from "../../../store/workflows/webhook-requests.ts";
import { createRequestFacts, type RequestFacts } from "../receive/request-facts.ts";
import { createRequestLog, type RequestLogDeps, requestsKeptMax } from "./request-log.ts";

function open(given: Partial<RequestLogDeps> = {}) {
  const batches: WebhookRequest[][] = [];
  const timers: (() => void)[] = [];
  const failures: unknown[] = [];
  const log = createRequestLog({
    put: async (requests) => void batches.push([...requests]),
    openHide: async () => (text) => text.replaceAll("s3cret", "[secret]"),
    timers: {
      after(_, action) {
        timers.push(action);
        return () => {};
      },
    },
    logFailure: (err) => failures.push(err),
    ...given,
  });
  let at = 0;
  const record = (
    facts: Partial<RequestFacts> = {},
    { failure = null, slug = "a" }: { failure?: HubError | null; slug?: string } = {},
  ) => {
    at += 1;
    log.record({
      ...createRequestFacts(),
      ...facts,
      workflowId: facts.workflowId ?? "wf",
      at,
      failure,
      address: { workflowId: "wf", slug, isTest: false },
      method: "POST",
      status: 202,
      durationMs: 1.6,
    });
  };
  return { log, record, batches, timers, failures };
}
const unsigned = { refusal: "signature_missing", triggerId: "hook" } as const;
const unauthorized = { failure: new HubError("unauthorized", "Sign it.") };

test("A thousand refused requests are one row with a count, and accepted ones stay beside them", async () => {
  const { log, record, batches, timers } = open();
  record({ runId: "run" });
  for (let count = 0; count < 1000; count += 1) {
    record(unsigned, { ...unauthorized, slug: `${count}` });
  }
  record({}, { failure: new HubError("bad_request", "Not JSON.") });
  expect([batches.length, timers.length]).toEqual([0, 1]);
  await log.flush();
  expect(batches).toHaveLength(1);
  expect(batches[0]).toMatchObject([
    { runId: "run", reason: null, requests: 1, durationMs: 2 },
    { reason: "signature_missing", requests: 1000, firstAt: 2, at: 1001, path: "999" },
    { reason: "bad_request", requests: 1, code: "bad_request", message: "Not JSON." },
  ]);
  await log.flush();
  expect(batches).toHaveLength(1);
});

test("Of more accepted requests than are kept, the newest are written", async () => {
  const { log, record, batches } = open();
  for (let count = 1; count <= requestsKeptMax + 50; count += 1) record({ runId: `${count}` });
  await log.flush();
  const runs = batches.flat().map(({ runId }) => Number(runId));
  expect([runs.length, runs[0], runs.at(-1)]).toEqual([requestsKeptMax, 51, requestsKeptMax + 50]);
});

test("Requests to many workflows take a bounded amount of memory and are written in batches", async () => {
  const { log, record, batches } = open();
  for (let count = 0; count < 6000; count += 1) record({ workflowId: `wf-${count}`, runId: "run" });
  await log.flush();
  expect(batches.flat()).toHaveLength(5000);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(200);
});

test("A batch that could not be written is written later, and only the first failure is logged", async () => {
  let isBroken = true;
  const written: WebhookRequest[] = [];
  const { log, record, timers, failures } = open({
    async put(requests) {
      if (isBroken) throw new Error("The database is locked");
      written.push(...requests);
    },
  });
  record({ runId: "run" });
  record(unsigned, unauthorized);
  for (let tries = 0; tries < 3; tries += 1) {
    timers.at(-1)?.();
    await log.flush().catch(() => {});
    await Promise.resolve();
  }
  expect(failures).toHaveLength(1);
  record(unsigned, unauthorized);
  isBroken = false;
  await log.close();
  expect(written).toMatchObject([{ runId: "run" }, { reason: "signature_missing", requests: 2 }]);
});

test("Secrets of the workflow do not reach the list, and a long path is not cut but left out", async () => {
  const { log, record, batches } = open();
  record({ runId: "1", deliveryId: "id-s3cret" }, { slug: "x/s3cret" });
  record({ runId: "2" }, { slug: "s3cret".repeat(100) });
  await log.flush();
  expect(batches.flat()).toMatchObject([
    { path: "x/[secret]", deliveryId: "id-[secret]" },
    { path: "(600 characters)" },
  ]);
});

test("Requests to a workflow that was deleted are not written", async () => {
  const { log, record, batches } = open({ openHide: async () => null });
  record({ runId: "run" });
  await log.close();
  expect(batches.flat()).toEqual([]);
});

test("A workflow whose secrets cannot be opened does not keep the requests to others from being written", async () => {
  const { log, record, batches } = open({
    async openHide(workflowId) {
      if (workflowId === "locked") throw new Error("The key is missing");
      return (text) => text;
    },
  });
  record({ workflowId: "locked", runId: "1", deliveryId: "d" }, { slug: "s3cret" });
  record({ workflowId: "open", runId: "2" });
  await log.flush();
  expect(batches.flat()).toMatchObject([
    { path: "(not shown)", method: "(not shown)", deliveryId: "(not shown)", runId: "1" },
    { path: "a", runId: "2" },
  ]);
});
