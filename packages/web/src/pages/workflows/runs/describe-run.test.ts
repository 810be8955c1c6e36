import { expect, test } from "bun:test";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { describeReason } from "./describe-run.ts";

const describe = (run: Partial<WorkflowRun>) =>
  describeReason({ error: null, waiting_for: null, scheduled_at: null, ...run } as WorkflowRun);

test("A run says in a line why it failed or for what it waits", () => {
  const error = { message: "The disk is full.", code: "x", node_id: "save" };
  expect(describe({ state: "failed", error })).toBe("save: The disk is full.");
  expect(describe({ state: "failed", error: { ...error, node_id: null } })).toBe(error.message);
  expect(describe({ state: "dropped" })).toBe("Refused by the queue policy");
  expect(describe({ state: "dropped", dropped_runs: 1200 })).toBe(
    "1,200 runs in a minute, refused by the queue policy",
  );
  expect(describe({ state: "succeeded" })).toBe("");
  const waits = (waiting: unknown) => describe({ state: "waiting", waiting_for: waiting });
  expect(waits({ kind: "time", node_ids: ["pause", "nap"] })).toBe("pause, nap: waits for a time");
  expect(waits({ kind: "person", node_id: "pay", message: "Was it paid?" })).toBe(
    "pay: Was it paid?",
  );
  expect(waits({ kind: "run", node_ids: ["child"] })).toBe("child: waits for another run");
  expect(waits(null)).toBe("");
  expect(describe({ state: "queued", scheduled_at: null })).toBe("Waits until it may start");
  const scheduled = { state: "queued", scheduled_at: "2099-03-01T09:00:00.000Z" } as const;
  expect(describe(scheduled)).toMatch(/^Starts Mar 1, 2099/);
});
