/**
 * Protects: every delivery that got 202 has exactly one run, every run ends or waits for a person, no committed
 * step runs again and no tick fires twice, though the server is killed. More kills by scripts/kill-workflows.ts.
 */
import { expect, setDefaultTimeout } from "bun:test";
import { testOnSqlite } from "../support/test-on-sqlite.ts";
import { tryWorkflows } from "../support/workflow-trial/trial.ts";

setDefaultTimeout(300_000);

testOnSqlite(
  "databaseFile",
  "A server that is killed and restarted under load loses no accepted delivery and repeats no committed step",
  async () => {
    const report = await tryWorkflows({
      seed: 20_261_122,
      faults: ["kill", "drain"],
      isPostgres: false,
      acceptedBetween: 8,
    });
    expect(report.accepted).toBeGreaterThan(0);
  },
);
