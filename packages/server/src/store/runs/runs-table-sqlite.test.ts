import { expect, test } from "bun:test";
import { readPlan } from "../testing/read-plan.ts";
import { purgeWorkflowRuns } from "../workflow-runs/purge-old-runs.ts";
import { listScheduledRuns } from "../workflow-runs/scheduled-runs-table.ts";
import { countInnerRuns } from "./inner-runs.ts";
import { listRunPage, type RunPageFilter } from "./run-pages.ts";
import {
  cancelInterruptedRuns,
  listRetries,
  listRuns,
  purgeRuns,
  type RunFilter,
} from "./runs-table.ts";

const byId = "sqlite_autoindex_connector_runs_1";
const pages: Record<string, [filter: Omit<RunFilter, "limit">, index: string]> = {
  "all runs": [{}, byId],
  "all runs before one": [{ before: "x" }, byId],
  "all runs after one": [{ after: "x" }, byId],
  "a row's runs": [{ connectorId: "x", before: "x" }, "connector_runs_connector"],
  "a user's runs": [{ userId: "x", before: "x" }, "connector_runs_user"],
  "failed runs": [{ status: "error", before: "x" }, "connector_runs_status"],
  "running runs": [{ status: "running" }, "connector_runs_status"],
};

for (const [name, [filter, index]] of Object.entries(pages)) {
  test(`A page of ${name} is read along its index, newest first`, async () => {
    const [step, ...sorting] = await readPlan((db) => listRuns(db, { ...filter, limit: 50 }));
    expect(step).toMatch(`connector_runs USING INDEX ${index}`);
    expect(sorting).toEqual([]);
  });
}

test("Pages with filters read along the index of the rarest condition, with bounds in the search", async () => {
  const bounds = { startedFrom: 1, startedBefore: 2, before: "x", limit: 50 };
  const plans: Record<string, Partial<RunPageFilter>> = {
    connector_runs_connector: { connectorId: "x", status: "error", operationKey: "y" },
    connector_runs_status: { status: "error", userId: "x", errorText: "x" },
    connector_runs_error: { errorText: "x", userId: "x" },
    connector_runs_source: { source: "test", status: "success" },
    connector_runs_user: { userId: "x", source: "mcp", withoutInner: true },
    connector_runs_cause: { causeId: "x", userId: "x", rowsTaggedAmong: ["y"], source: "test" },
    [byId]: { status: "success", operationKey: "y" },
  };
  for (const [index, filter] of Object.entries(plans)) {
    const steps = await readPlan((db) => listRunPage(db, { ...bounds, ...filter }));
    const search = steps.find((step) => step.includes("connector_runs USING"));
    expect(search).toMatch(new RegExp(`SEARCH connector_runs USING INDEX ${index} .*id[<>]`));
    expect(steps.join()).not.toContain("TEMP B-TREE");
  }
});

test("The calls of messages are counted by an index", async () => {
  const steps = await readPlan((db) => countInnerRuns(db, ["x", "y"]));
  expect(steps).toEqual([expect.stringContaining("USING COVERING INDEX connector_runs_cause")]);
});

test("Retries of a run are found by an index", async () => {
  const [step] = await readPlan((db) => listRetries(db, "x"));
  expect(step).toContain("SEARCH connector_runs USING");
  expect(step).toContain("connector_runs_parent");
});

test("The purge and the clean-up find their runs by an index", async () => {
  const bounds = { endedFrom: 0, endedBefore: 1, limit: 1 };
  const purge = await readPlan((db) => purgeRuns(db, bounds));
  const cancel = await readPlan((db) => cancelInterruptedRuns(db, { dead: ["x"], at: Date.now() }));
  expect(purge.join("\n")).toContain("SEARCH connector_runs USING INDEX connector_runs_ended");
  expect(cancel.join("\n")).toContain("SEARCH connector_runs USING INDEX connector_runs_status");
  for (const step of [...purge, ...cancel])
    expect(step).not.toMatch(/^SCAN (?!CONSTANT)|TEMP B-TREE/);
});

test("Scheduled runs of a workflow, and old ones, are found by an index", async () => {
  const listed = await readPlan((db) => listScheduledRuns(db, "x", { limit: 5 }));
  expect(listed.join("\n")).toMatch(/SEARCH workflow_runs USING INDEX workflow_runs_active/);
  const bounds = { endedFrom: 0, endedBefore: 1, runsMax: 1, stepsMax: 1 };
  const purged = await readPlan((db) => purgeWorkflowRuns(db, bounds));
  expect(purged.join("\n")).toContain("SEARCH workflow_runs USING INDEX workflow_runs_ended");
  for (const step of [...listed, ...purged])
    expect(step).not.toMatch(/^SCAN (?!CONSTANT)|TEMP B-TREE/);
});
