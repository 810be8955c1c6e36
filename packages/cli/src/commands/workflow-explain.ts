import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toWholeNumber } from "../input/option-values.ts";
import { toPrintable } from "../text/table.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";

export function defineWorkflowExplain(workflow: Command, cli: Cli): void {
  workflow
    .command("explain")
    .argument(...workflowArgument)
    .description("say in words what starts the workflow and what its steps do")
    .option("--version <version>", "number of a version (default: the draft)", toWholeNumber)
    .action((name: string, options: { version?: number }, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { explainWorkflow } = await import(
          "@hub/server/workflows/explain/explain-workflow.ts"
        );
        const explained = await explainWorkflow(services, author.caller, id, options.version);
        return { json: explained, text: toPrintableLines(explained.markdown) };
      }),
    );

  workflow
    .command("why")
    .argument(...workflowArgument)
    .argument("<run>", "id of the run")
    .description("say why a run failed or for what it waits, and what changed since it last worked")
    .action((name: string, run: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { diagnoseRun } = await import("@hub/server/workflows/explain/diagnose-run.ts");
        const target = { workflow: id, run };
        const diagnosis = await diagnoseRun(services, author.caller, target);
        return { json: diagnosis, text: toPrintableLines(diagnosis.markdown) };
      }),
    );
}

function toPrintableLines(text: string): string {
  return text.trimEnd().split("\n").map(toPrintable).join("\n");
}
