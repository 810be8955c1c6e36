import { expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";
import { createRefusedCalls } from "./refused-calls.ts";

const echo = defineConnector({
  key: "echo",
  name: "Echo",
  icon: "bug",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: { say: { description: "Answers.", input: {}, run: () => ({ ok: true }) } },
});

test("Calls refused by a limit are one record a minute, which counts them", async () => {
  const timers = createManualTimers();
  const refusedCalls = createRefusedCalls({ timers, logFailure: () => {} });
  const hub = await openTestOperations(echo, { user: { perMinute: 2 }, refusedCalls });
  try {
    const rowId = await hub.addRow({ tags: ["team"] });
    const call = () =>
      hub.operations.calls
        .call(toTestCall(["team"]), { toolId: `conn:${rowId}/say`, params: {} })
        .then(
          () => "success",
          (err: { code: string }) => err.code,
        );
    const codes: string[] = [];
    for (let at = 0; at < 50; at += 1) codes.push(await call());
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(48);
    expect(await hub.listRuns()).toHaveLength(3);
    timers.advance(60_000);
    await hub.store.runs.drain();
    const [newest, ...others] = await hub.listRuns();
    expect(others).toHaveLength(3);
    expect(newest).toMatchObject({ status: "denied", errorCode: "rate_limited" });
    expect(JSON.parse(newest?.response ?? "null")).toEqual({ refused_calls: 47 });
    // A minute without a refused call leaves no record.
    timers.advance(120_000);
    await hub.store.runs.drain();
    expect(await hub.listRuns()).toHaveLength(4);
    expect(timers.pending()).toBe(0);
  } finally {
    await hub.close();
  }
});

test("Refused calls of the last minute are recorded when the hub stops", async () => {
  const timers = createManualTimers();
  const refused = createRefusedCalls({ timers, logFailure: () => {} });
  const records: number[] = [];
  const record = async (calls: number) => void records.push(calls);
  expect([1, 2, 3].map(() => refused.admit("user:ann calls", record))).toEqual([
    true,
    false,
    false,
  ]);
  expect(refused.admit("user:ben calls", record)).toBe(true);
  await refused.close();
  expect(records).toEqual([2]);
  expect(timers.pending()).toBe(0);
});
