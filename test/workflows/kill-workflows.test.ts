/**
 * Protects: every delivery that got 202 has exactly one run, and no committed step runs again, though the
 * server was killed. Some kills here, more of them by scripts/kill-workflows.ts.
 */
import { expect, test } from "bun:test";
import { killWorkflows } from "../support/kill-workflows.ts";

test("A server that is killed while webhooks arrive loses no accepted delivery and repeats no committed step", async () => {
  const report = await killWorkflows({ seed: 20_261_122, count: 3 });
  expect(report.kills).toBe(3);
  expect(report.accepted).toBeGreaterThan(0);
  expect(report.succeeded).toBeGreaterThan(0);
  expect(report.succeeded + report.unsure).toBe(report.accepted + report.answerLost + report.ticks);
}, 300_000);
