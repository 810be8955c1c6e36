import { toJsonText } from "@hub/connector";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toWholeNumber } from "../input/option-values.ts";
import { toPrintable, toTable } from "../text/table.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";

const loadVersions = () => import("@hub/server/workflows/definition/list-versions.ts");

export function defineWorkflowVersions(workflow: Command, cli: Cli): void {
  workflow
    .command("versions")
    .argument(...workflowArgument)
    .argument("[version]", "number of a version, whose body is printed", toWholeNumber)
    .description("list the versions of a workflow, or show one of them")
    .action((name: string, version: number | undefined, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { listVersions, showVersion } = await loadVersions();
        if (version !== undefined) {
          const shown = await showVersion(services, author.caller, id, version);
          return { json: shown, text: toJsonText(shown.body, 2) };
        }
        const versions = await listVersions(services, author.caller, id);
        const text = toTable(
          versions,
          [
            ["version", (one) => one.version],
            ["published", (one) => one.published_at],
            ["by", (one) => one.published_by.email],
            ["note", (one) => one.note],
            ["state", (one) => (one.is_published ? "runs use it" : null)],
          ],
          "The workflow was never published.",
        );
        return { json: versions, text };
      }),
    );

  workflow
    .command("diff")
    .argument(...workflowArgument)
    .description("say what differs between two versions, or between a version and the draft")
    .option("--from <version>", "published, draft or a number (default: published)")
    .option("--to <version>", "published, draft or a number (default: draft)")
    .action((name: string, options: { from?: string; to?: string }, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { compareVersions } = await loadVersions();
        const compared = await compareVersions(services, author.caller, id, options);
        const { sentences } = compared.difference;
        const text = sentences.map(toPrintable).join("\n") || "They are the same.";
        return { json: compared, text };
      }),
    );

  workflow
    .command("restore")
    .argument(...workflowArgument)
    .argument("<version>", "number of a version", toWholeNumber)
    .description("make the body of a version the draft")
    .action((name: string, version: number, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { showWorkflow } = await import("@hub/server/workflows/definition/list-workflows.ts");
        const { restoreVersion } = await import("@hub/server/workflows/definition/save-draft.ts");
        const { draft } = await showWorkflow(services, author.caller, id);
        const revision = draft?.revision ?? 0;
        const restored = await restoreVersion(services, author, id, version, { revision });
        return {
          json: restored,
          text: `The draft is version ${version} now. Publish it to use it.`,
        };
      }),
    );
}
