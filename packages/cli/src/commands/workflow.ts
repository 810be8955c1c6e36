import { toJsonText } from "@hub/connector";
import type { Workflow } from "@hub/contract/workflow.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { collectPairs } from "../input/option-values.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import {
  answerForOne,
  answerForWorkflow,
  createRunByOption,
  workflowArgument,
} from "../workflows/workflow-command.ts";
import { toExampleTable, toExampleText } from "../workflows/workflow-example-text.ts";
import { readJsonFile } from "../workflows/workflow-file.ts";
import { toProblemText, toWorkflowTable, toWorkflowText } from "../workflows/workflow-text.ts";
import { defineWorkflowApprovals } from "./workflow-approvals.ts";
import { defineWorkflowEdit } from "./workflow-edit.ts";
import { defineWorkflowExplain } from "./workflow-explain.ts";
import { defineWorkflowPublish } from "./workflow-publish.ts";
import { defineWorkflowResume } from "./workflow-resume.ts";
import { defineWorkflowRun } from "./workflow-run.ts";
import { defineWorkflowScheduled } from "./workflow-scheduled.ts";
import { defineWorkflowSecret } from "./workflow-secret.ts";
import { defineWorkflowShare } from "./workflow-share.ts";
import { defineWorkflowVersions } from "./workflow-versions.ts";
import { defineWorkflowWebhooks } from "./workflow-webhooks.ts";

const loadLists = () => import("@hub/server/workflows/definition/list-workflows.ts");
const loadCreation = () => import("@hub/server/workflows/definition/create-workflow.ts");
const loadChanges = () => import("@hub/server/workflows/definition/change-workflow.ts");

type ListOptions = {
  owner?: string;
  tag?: string;
  search?: string;
  state?: "published" | "draft" | "disabled";
};
type NewOptions = {
  owner: string;
  id?: string;
  description?: string;
  file?: string;
  example?: string;
  row?: Record<string, string>;
  env?: Record<string, string>;
  runBy?: Workflow["run_by"];
};
type ImportOptions = { owner: string; id?: string; name?: string };

export function define(workflow: Command, cli: Cli): void {
  workflow.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} workflow new "Daily report" --owner ada@example.com --file report.json
  $ ${cli.name} workflow new Alarm --owner ada@example.com --example failure-alarm --row chat=Chat
  $ ${cli.name} workflow publish "Daily report" --note "First version"
  $ ${cli.name} workflow tags "Daily report" --tag support`,
  );

  workflow
    .command("list")
    .description("list all workflows")
    .option("--owner <email>", "only workflows of this user")
    .option("--tag <tag>", "only workflows with this tag")
    .option("--search <text>", "only workflows with this text in their name or id")
    .addOption(
      new Option("--state <state>", "only workflows in this state").choices([
        "published",
        "draft",
        "disabled",
      ]),
    )
    .action((options: ListOptions, command: Command) =>
      answerForWorkflow(cli, command, async ({ services, author, lookups }) => {
        const { listWorkflows } = await loadLists();
        const { owner, tag, search: q, state } = options;
        const ownerId = owner === undefined ? undefined : (await lookups.findUser(owner)).id;
        const filter = { owner: ownerId, tag, q, state };
        const workflows = await readAllPages((page) =>
          listWorkflows(services, author.caller, { ...filter, ...page }),
        );
        return { json: workflows, text: toWorkflowTable(workflows) };
      }),
    );

  workflow
    .command("show")
    .argument(...workflowArgument)
    .description("show a workflow; secrets stay hidden")
    .action((name: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { showWorkflow } = await loadLists();
        const shown = await showWorkflow(services, author.caller, id);
        return { json: shown, text: toWorkflowText(shown) };
      }),
    );

  workflow
    .command("new")
    .argument("<name>")
    .description("create a workflow with a draft")
    .requiredOption("--owner <email>", "the user it runs as")
    .option("--id <id>", "its id (default: made of the name); it can never be used again")
    .option("--description <text>")
    .option("--file <file>", "the body of the draft, as JSON; - is standard input")
    .option("--example <id>", "start from an example")
    .option(
      "--row <name=row>",
      "a row of the example, by id or label; may be repeated",
      collectPairs,
    )
    .option("--env <name=value>", "a value of the example; may be repeated", collectPairs)
    .addOption(createRunByOption())
    .action((name: string, options: NewOptions, command: Command) =>
      answerForWorkflow(cli, command, async ({ services, author, lookups }) => {
        const { createWorkflow } = await loadCreation();
        const { file, description, id, runBy, example, row, env } = options;
        const rows = await Promise.all(
          Object.entries(row ?? {}).map(async ([key, typed]) => [
            key,
            await lookups.findRowId(typed),
          ]),
        );
        const made = await createWorkflow(services, author, {
          name,
          owner: (await lookups.findUser(options.owner)).id,
          ...(file !== undefined && { body: await readJsonFile(cli.terminal, file) }),
          ...(example !== undefined && { example }),
          ...(row !== undefined && { rows: Object.fromEntries(rows) }),
          ...(env !== undefined && { env }),
          ...(description !== undefined && { description }),
          ...(id !== undefined && { id }),
          ...(runBy !== undefined && { runBy }),
        });
        const text = `Created.\n\n${toWorkflowText(made)}`;
        if (example === undefined) return { json: made, text };
        const { validateWorkflow } = await import("@hub/server/workflows/definition/save-draft.ts");
        const { problems } = await validateWorkflow(services, author.caller, made.id, {});
        if (problems.length === 0) return { json: made, text };
        const rest = `Before it can be published:\n${toProblemText(problems)}`;
        return { json: made, text: `${text}\n${rest}` };
      }),
    );

  workflow
    .command("examples")
    .argument("[example]", "id of an example, to show what it needs")
    .description("list the examples that a workflow can start from, or show one")
    .action((id: string | undefined, _: unknown, command: Command) =>
      cli.answer(command, async () => {
        const { listExamples } = await import("@hub/server/workflows/examples/list-examples.ts");
        const examples = listExamples();
        if (id === undefined) return { json: examples, text: toExampleTable(examples) };
        const found = examples.find((example) => example.id === id);
        if (found !== undefined) return { json: found, text: toExampleText(found) };
        const known = examples.map((example) => example.id).join(", ");
        throw toUsageError(`There is no example "${id}". Examples: ${known}.`);
      }),
    );

  defineWorkflowEdit(workflow, cli);
  defineWorkflowPublish(workflow, cli);

  for (const verb of ["enable", "disable"] as const) {
    workflow
      .command(verb)
      .argument(...workflowArgument)
      .description(
        verb === "enable"
          ? "enable a workflow"
          : "disable a workflow: its triggers fire no more, and it can still be started by hand",
      )
      .action((name: string, _: unknown, command: Command) =>
        answerForOne(cli, command, name, async ({ services, author }, id) => {
          const switchWorkflow = (await loadChanges())[`${verb}Workflow`];
          const changed = await switchWorkflow(services, author, id);
          return { json: changed, text: `"${changed.name}" is ${verb}d.` };
        }),
      );
  }

  workflow
    .command("delete")
    .argument(...workflowArgument)
    .description("delete a workflow with its versions and secrets; its recorded runs are kept")
    .action((name: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { deleteWorkflow } = await loadChanges();
        const deleted = await deleteWorkflow(services, author, id);
        return { json: deleted, text: `Deleted "${deleted.name}" (${deleted.id}).` };
      }),
    );

  defineWorkflowVersions(workflow, cli);
  defineWorkflowExplain(workflow, cli);

  workflow
    .command("export")
    .argument(...workflowArgument)
    .description("print the draft with the names of the secrets that it needs, as JSON")
    .action((name: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { exportWorkflow } = await import(
          "@hub/server/workflows/definition/export-workflow.ts"
        );
        const exported = await exportWorkflow(services, author.caller, id);
        return { json: exported, text: toJsonText(exported, 2) };
      }),
    );

  workflow
    .command("import")
    .argument("<file>", "an exported workflow; - is standard input")
    .description("create a workflow from an export")
    .requiredOption("--owner <email>", "the user it runs as")
    .option("--id <id>", "its id (default: made of the name)")
    .option("--name <name>", "its name (default: that of the export)")
    .action((file: string, options: ImportOptions, command: Command) =>
      answerForWorkflow(cli, command, async ({ services, author, lookups }) => {
        const { importWorkflow } = await loadCreation();
        const document = Object(await readJsonFile(cli.terminal, file));
        const made = await importWorkflow(services, author, {
          ...document,
          owner: (await lookups.findUser(options.owner)).id,
          ...(options.id !== undefined && { id: options.id }),
          ...(options.name !== undefined && { name: options.name }),
        });
        const missing = (made.secrets ?? []).flatMap(({ name, is_set }) => (is_set ? [] : name));
        const next = missing.map(
          (secret) => `\n${cli.name} workflow secret set ${made.id} ${secret}`,
        );
        const note = missing.length === 0 ? "" : `\n\nSet its secrets:${next.join("")}`;
        return { json: made, text: `Created.\n\n${toWorkflowText(made)}${note}` };
      }),
    );

  defineWorkflowRun(workflow, cli);
  defineWorkflowResume(workflow, cli);
  defineWorkflowApprovals(workflow, cli);
  defineWorkflowScheduled(workflow, cli);
  defineWorkflowWebhooks(workflow, cli);
  defineWorkflowSecret(workflow, cli);
  defineWorkflowShare(workflow, cli);
}
