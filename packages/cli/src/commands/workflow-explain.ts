import { command } from "../declare/command.ts";
import { wholeNumber } from "../declare/parameters.ts";
import { toPrintable } from "../text/table.ts";
import { oneRun, oneWorkflow } from "../workflows/workflow-command.ts";

export const workflowExplain = command(
  "explain",
  "say in words what starts the workflow and what its steps do",
  {
    takes: {
      ...oneWorkflow,
      version: wholeNumber("<version>", "number of a version (default: the draft)"),
    },
    async does({ services, author }, { id, version }) {
      const { explainWorkflow } = await import("@hub/server/workflows/explain/explain-workflow.ts");
      return await explainWorkflow(services, author.caller, id, version);
    },
    shows: ({ markdown }) => toPrintableLines(markdown),
  },
);

export const workflowWhy = command(
  "why",
  "say why a run failed or for what it waits, and what changed since it last worked",
  {
    takes: oneRun,
    async does({ services, author }, { id: workflow, run }) {
      const { diagnoseRun } = await import("@hub/server/workflows/explain/diagnose-run.ts");
      return await diagnoseRun(services, author.caller, { workflow, run });
    },
    shows: ({ markdown }) => toPrintableLines(markdown),
  },
);

function toPrintableLines(text: string): string {
  return text.trimEnd().split("\n").map(toPrintable).join("\n");
}
