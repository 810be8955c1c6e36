import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { confirmOpened } from "../workflows/confirm-opened.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";
import { toProblemText } from "../workflows/workflow-text.ts";

type PublishOptions = { note?: string; yes?: true };

export function defineWorkflowPublish(workflow: Command, cli: Cli): void {
  workflow
    .command("publish")
    .argument(...workflowArgument)
    .description("publish the draft as the next version; errors stop it, warnings do not")
    .option("--note <text>", "what is new in this version")
    .option("--yes", "do not ask before operations are opened to users who share a tag")
    .action((name: string, { note, yes }: PublishOptions, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { showWorkflow } = await import("@hub/server/workflows/definition/list-workflows.ts");
        const { listWorkflowOpened } = await import(
          "@hub/server/workflows/definition/change-workflow.ts"
        );
        const { publishWorkflow } = await import(
          "@hub/server/workflows/definition/publish-workflow.ts"
        );
        const { tags, run_by: runBy, draft } = await showWorkflow(services, author.caller, id);
        const opened = await listWorkflowOpened(services, author.caller, id);
        const known = new Set(opened.published.map(({ target }) => target));
        const added = opened.draft.filter(({ target }) => !known.has(target));
        const isShared = tags.length > 0 && runBy === "tags";
        await confirmOpened(cli.terminal, isShared ? added : [], yes === true);
        const published = await publishWorkflow(services, author, id, {
          revision: draft?.revision ?? 0,
          ...(note !== undefined && { note }),
        });
        const state = `"${published.name}" is published as version ${published.version}.`;
        const warnings =
          published.problems.length === 0 ? "" : `\n${toProblemText(published.problems)}`;
        return { json: published, text: state + warnings };
      }),
    );
}
