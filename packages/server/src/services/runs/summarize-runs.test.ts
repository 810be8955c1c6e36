import { afterAll, beforeAll, expect, test } from "bun:test";
import { countRunHours } from "../../store/runs/run-hours.ts";
import type { RunOutcome } from "../../store/runs/run-recorder.ts";
import { newFinishedRun, newRun } from "../../store/test-data.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { type SummaryInput, summarizeRuns } from "./summarize-runs.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const now = Date.parse("2026-11-20T09:42:00Z");

let hub: Awaited<ReturnType<typeof openTestServices>>;
let [busy, quiet] = ["", ""];
beforeAll(async () => {
  hub = await openTestServices();
  const add = async (label: string) =>
    (await hub.admin.rows.add({ connector: "tracker", label })).id;
  [busy, quiet] = [await add("Busy"), await add("Quiet")];
  const { db, runs } = hub.deps.store;
  const put = (connectorId: string | null, hoursAgo: number, given: Partial<RunOutcome> = {}) =>
    runs.insertFinished(
      newFinishedRun({
        id: Bun.randomUUIDv7(),
        connectorId,
        endedAt: now - hoursAgo * hourMs,
        ...given,
      }),
    );
  await put(quiet, 0, { latencyMs: 100 });
  await put(busy, 0, { latencyMs: 10 });
  await put(busy, 1, { latencyMs: 11 });
  await put(busy, 1, { latencyMs: 11, status: "error" });
  await put(null, 24);
  await put(quiet, 25);
  await put(quiet, 24 * 366);
  await put(quiet, 24 * 366 + 1);
  // A message of several calls, which are calls of their own.
  const message = { connectorId: null, operationKey: "hub_read" };
  await runs.insertFinished(newFinishedRun({ ...message, endedAt: now }));
  await runs.begin(newRun(message));
  await countRunHours(db, { endedBefore: now + 1 });
  await runs.begin(newRun({ connectorId: busy }));
});
afterAll(() => hub.close());

const summarize = (input: SummaryInput = {}) =>
  summarizeRuns({ ...hub.deps, now: () => now }, input);

test("Without a time range, the summary is of the last day in whole hours, the busiest row first", async () => {
  expect(await summarize()).toEqual({
    from: "2026-11-19T09:00:00.000Z",
    to: "2026-11-20T10:00:00.000Z",
    counted_until: "2026-11-20T09:42:00.001Z",
    total: { runs: 5, by_status: { success: 4, error: 1 }, mean_latency_ms: 27.4 },
    running: 1,
    by_row: [
      {
        connector_id: busy,
        label: "Busy",
        runs: 3,
        by_status: { success: 2, error: 1 },
        mean_latency_ms: 10.7,
      },
      { connector_id: null, label: null, runs: 1, by_status: { success: 1 }, mean_latency_ms: 5 },
      {
        connector_id: quiet,
        label: "Quiet",
        runs: 1,
        by_status: { success: 1 },
        mean_latency_ms: 100,
      },
    ],
    series: [
      { at: "2026-11-19T09:00:00.000Z", runs: 1, by_status: { success: 1 }, mean_latency_ms: 5 },
      {
        at: "2026-11-20T08:00:00.000Z",
        runs: 2,
        by_status: { success: 1, error: 1 },
        mean_latency_ms: 11,
      },
      { at: "2026-11-20T09:00:00.000Z", runs: 2, by_status: { success: 2 }, mean_latency_ms: 55 },
    ],
  });
});

test("A summary of one row has only its finished and running calls", async () => {
  const { total, running, by_row } = await summarize({ row: quiet.toUpperCase() });
  expect([total.runs, running, by_row.map(({ label }) => label)]).toEqual([1, 0, ["Quiet"]]);
});

test("A summary is of the given hours", async () => {
  const [from, to] = [now - 25 * hourMs, now - 24 * hourMs].map((at) => new Date(at).toISOString());
  const { series } = await summarize({ from, to });
  expect(series.map(({ at }) => at)).toEqual([
    "2026-11-19T08:00:00.000Z",
    "2026-11-19T09:00:00.000Z",
  ]);
});

test("A summary is of at most 366 days", async () => {
  const first = new Date(now - 400 * dayMs).toISOString();
  const { from, total } = await summarize({ from: first });
  expect(from).toBe(new Date(now - 366 * dayMs - 42 * 60_000).toISOString());
  expect(total.runs).toBe(7);
});

test("A summary without calls has no mean latency", async () => {
  const { total, series } = await summarize({ row: crypto.randomUUID() });
  expect([total, series]).toEqual([{ runs: 0, by_status: {}, mean_latency_ms: null }, []]);
});
