import { toJsonText } from "@hub/connector";
import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import type { Cli } from "../cli.ts";
import { answeringCommand, command } from "../declare/command.ts";
import { argument, option, wholeNumber } from "../declare/parameters.ts";
import { exitCodes, toUsageError } from "../errors/usage-error.ts";
import { editInEditor } from "../input/edit-in-editor.ts";
import { oneWorkflow, runByOption } from "../workflows/workflow-command.ts";
import { parseDocument, readJsonFile } from "../workflows/workflow-file.ts";
import { toProblemText, toWorkflowText } from "../workflows/workflow-text.ts";

const loadDrafts = () => import("@hub/server/workflows/definition/save-draft.ts");

export const workflowEdit = answeringCommand(
  "edit",
  "save the draft from a file or an editor, or change what is beside the draft",
  {
    takes: {
      ...oneWorkflow,
      file: option("<file>", "the new body, as JSON; - is standard input"),
      revision: wholeNumber(
        "<number>",
        "the revision that the file was made from (default: the present one)",
      ),
      name: option("<name>", "change the name"),
      description: option("<text>", "change the description"),
      runBy: runByOption,
    },
    async answers({ services, author }, { id, file, revision, ...change }, cli) {
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
      const saved = await (await loadDrafts()).saveDraft(services, author, id, {
        revision: revision ?? shown.draft?.revision ?? 0,
        body,
      });
      const state = `"${saved.name}" has the draft ${saved.draft?.revision} now.`;
      return { json: saved, text: `${state}\n${toProblemText(saved.problems)}` };
    },
  },
);

export const workflowValidate = command("validate", "check a draft, or a file, as for publishing", {
  takes: {
    name: argument("[workflow]", "id or name; without it, the file is checked alone"),
    file: option("<file>", "another body, as JSON; - is standard input"),
  },
  async does({ services, author: { caller }, lookups }, { name, file }, { terminal }) {
    const { validateWorkflow, validateNewBody } = await loadDrafts();
    const given = file === undefined ? {} : { body: await readJsonFile(terminal, file) };
    if (name === undefined && file === undefined) {
      throw toUsageError("Name a workflow, or a file with --file.");
    }
    const validated =
      name === undefined
        ? await validateNewBody(services, caller, given)
        : await validateWorkflow(services, caller, await lookups.findWorkflowId(name), given);
    if (hasError(validated.problems)) process.exitCode = exitCodes.failure;
    return validated;
  },
  shows: ({ problems }) => toProblemText(problems),
});

async function editBody(cli: Cli, { id, body }: WorkflowDetail): Promise<unknown> {
  const text = await editInEditor(cli.terminal, `${id}.json`, `${toJsonText(body, 2)}\n`);
  return parseDocument("The text", text);
}

function hasError(problems: readonly WorkflowProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}
