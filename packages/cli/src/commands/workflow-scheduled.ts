import type { WorkflowScheduledRun } from "@hub/contract/workflow-scheduled.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import { toTable } from "../text/table.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";

const loadScheduled = () => import("@hub/server/workflows/runs/manage-scheduled-runs.ts");
const runArgument = ["<run>", "id of the run"] as const;

export function defineWorkflowScheduled(workflow: Command, cli: Cli): void {
  const scheduled = workflow
    .command("scheduled")
    .description("the runs of a workflow that wait for their time");

  scheduled
    .command("list")
    .argument(...workflowArgument)
    .description("list the runs that wait for their time, the next one first")
    .action((name: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { listScheduled } = await loadScheduled();
        const runs = await readAllPages((page) => listScheduled(services, author.caller, id, page));
        return { json: runs, text: toScheduledTable(runs) };
      }),
    );

  scheduled
    .command("move")
    .argument(...workflowArgument)
    .argument(...runArgument)
    .argument("<time>", "such as 2026-01-31T09:00:00+01:00, or Unix seconds")
    .description("give a run another time")
    .action((name: string, runId: string, time: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, workflowId) => {
        const { moveScheduled } = await loadScheduled();
        const address = { workflowId, runId };
        const run = await moveScheduled(services, author, address, { scheduledAt: time });
        return { json: run, text: `The run starts at ${run.scheduled_at}.` };
      }),
    );

  scheduled
    .command("drop")
    .argument(...workflowArgument)
    .argument(...runArgument)
    .description("cancel a run before its time")
    .action((name: string, runId: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, workflowId) => {
        const { dropScheduled } = await loadScheduled();
        const run = await dropScheduled(services, author, { workflowId, runId });
        return { json: run, text: `The run of ${run.scheduled_at} is cancelled.` };
      }),
    );
}

function toScheduledTable(runs: readonly WorkflowScheduledRun[]): string {
  return toTable(
    runs,
    [
      ["run", ({ id }) => id],
      ["starts", ({ scheduled_at }) => scheduled_at],
      ["version", ({ version }) => (version === null ? "draft" : String(version))],
    ],
    "No run waits for its time.",
  );
}
