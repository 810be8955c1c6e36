import { toJsonText } from "@hub/connector";
import type { Workflow, WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { exitCodes, toUsageError } from "../errors/usage-error.ts";
import { editInEditor } from "../input/edit-in-editor.ts";
import { toWholeNumber } from "../input/option-values.ts";
import {
  answerForOne,
  answerForWorkflow,
  createRunByOption,
  workflowArgument,
} from "../workflows/workflow-command.ts";
import { parseDocument, readJsonFile } from "../workflows/workflow-file.ts";
import { toProblemText, toWorkflowText } from "../workflows/workflow-text.ts";

const loadDrafts = () => import("@hub/server/workflows/definition/save-draft.ts");

type EditOptions = {
  file?: string;
  revision?: number;
  name?: string;
  description?: string;
  runBy?: Workflow["run_by"];
};

/** Drafts: edit and validate. */
export function defineWorkflowEdit(workflow: Command, cli: Cli): void {
  workflow
    .command("edit")
    .argument(...workflowArgument)
    .description("save the draft from a file or an editor, or change what is beside the draft")
    .option("--file <file>", "the new body, as JSON; - is standard input")
    .option(
      "--revision <number>",
      "the revision that the file was made from (default: the present one)",
      toWholeNumber,
    )
    .option("--name <name>", "change the name")
    .option("--description <text>", "change the description")
    .addOption(createRunByOption())
    .action((name: string, options: EditOptions, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { file, revision, ...change } = options;
        const isOther = Object.keys(change).length > 0;
        if (isOther && file === undefined) {
          const { changeWorkflow } = await import(
            "@hub/server/workflows/definition/change-workflow.ts"
          );
          const changed = await changeWorkflow(services, author, id, change);
          return { json: changed, text: toWorkflowText(changed) };
        }
        if (isOther) throw toUsageError("Change the draft and what is beside it one by one.");
        const { showWorkflow } = await import("@hub/server/workflows/definition/list-workflows.ts");
        const shown = await showWorkflow(services, author.caller, id);
        const body =
          file === undefined ? await editBody(cli, shown) : await readJsonFile(cli.terminal, file);
        const { saveDraft } = await loadDrafts();
        const saved = await saveDraft(services, author, id, {
          revision: revision ?? shown.draft?.revision ?? 0,
          body,
        });
        const state = `"${saved.name}" has the draft ${saved.draft?.revision} now.`;
        return { json: saved, text: `${state}\n${toProblemText(saved.problems)}` };
      }),
    );

  workflow
    .command("validate")
    .argument("[workflow]", "id or name; without it, the file is checked alone")
    .description("check a draft, or a file, as for publishing")
    .option("--file <file>", "another body, as JSON; - is standard input")
    .action((name: string | undefined, { file }: { file?: string }, command: Command) =>
      answerForWorkflow(cli, command, async ({ services, author, lookups }) => {
        const { validateWorkflow, validateNewBody } = await loadDrafts();
        const given = file === undefined ? {} : { body: await readJsonFile(cli.terminal, file) };
        if (name === undefined && file === undefined) {
          throw toUsageError("Name a workflow, or a file with --file.");
        }
        const { caller } = author;
        const validated =
          name === undefined
            ? await validateNewBody(services, caller, given)
            : await validateWorkflow(services, caller, await lookups.findWorkflowId(name), given);
        if (hasError(validated.problems)) process.exitCode = exitCodes.failure;
        return { json: validated, text: toProblemText(validated.problems) };
      }),
    );
}

async function editBody(cli: Cli, { id, body }: WorkflowDetail): Promise<unknown> {
  const text = await editInEditor(cli.terminal, `${id}.json`, `${toJsonText(body, 2)}\n`);
  return parseDocument("The text", text);
}

function hasError(problems: readonly WorkflowProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}
