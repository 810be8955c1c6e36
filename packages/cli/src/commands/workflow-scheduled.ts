import type { WorkflowScheduledRun } from "@hub/contract/workflow-scheduled.ts";
import { command, innerGroup, list } from "../declare/command.ts";
import { argument } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { oneRun, oneWorkflow } from "../workflows/workflow-command.ts";

const loadScheduled = () => import("@hub/server/workflows/runs/manage-scheduled-runs.ts");

export const workflowScheduled = innerGroup(
  "scheduled",
  "the runs of a workflow that wait for their time",
  [
    list("list", "list the runs that wait for their time, the next one first", {
      takes: oneWorkflow,
      reads: async ({ services, author }, { id }, page) =>
        (await loadScheduled()).listScheduled(services, author.caller, id, page),
      shows: table<WorkflowScheduledRun>(
        [
          ["run", "id"],
          ["starts", "scheduled_at"],
          ["version", ({ version }) => version ?? "draft"],
        ],
        "No run waits for its time.",
      ),
    }),
    command("move", "give a run another time", {
      takes: {
        ...oneRun,
        time: argument("<time>", "such as 2026-01-31T09:00:00+01:00, or Unix seconds"),
      },
      async does({ services, author }, { id: workflowId, run: runId, time: scheduledAt }) {
        const { moveScheduled } = await loadScheduled();
        return await moveScheduled(services, author, { workflowId, runId }, { scheduledAt });
      },
      shows: (run) => `The run starts at ${run.scheduled_at}.`,
    }),
    command("drop", "cancel a run before its time", {
      takes: oneRun,
      does: async ({ services, author }, { id: workflowId, run: runId }) =>
        (await loadScheduled()).dropScheduled(services, author, { workflowId, runId }),
      shows: (run) => `The run of ${run.scheduled_at} is cancelled.`,
    }),
  ],
);
