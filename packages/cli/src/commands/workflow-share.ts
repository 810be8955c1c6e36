import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { collect, toList } from "../input/option-values.ts";
import { confirmOpened } from "../workflows/confirm-opened.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";
import { toWorkflowText } from "../workflows/workflow-text.ts";

const loadLists = () => import("@hub/server/workflows/definition/list-workflows.ts");
const loadOwner = () => import("@hub/server/workflows/definition/offer-workflow.ts");

type TagOptions = { tag?: string[]; untag?: string[]; tags?: string; yes?: true };
type OwnerOptions = { to?: string; withdraw?: true };

/** Tags and owners: who sees, starts and owns a workflow. */
export function defineWorkflowShare(workflow: Command, cli: Cli): void {
  workflow
    .command("tags")
    .argument(...workflowArgument)
    .description("change who sees a workflow and may start it")
    .option("--tag <tag>", "add a tag; may be repeated", collect)
    .option("--untag <tag>", "remove a tag; may be repeated", collect)
    .option("--tags <list>", "replace all tags by these, comma-separated")
    .option("--yes", "do not ask before operations are opened to others")
    .action((name: string, options: TagOptions, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { setTags, listWorkflowOpened } = await import(
          "@hub/server/workflows/definition/change-workflow.ts"
        );
        const { tag = [], untag = [], tags, yes } = options;
        if (tags === undefined && tag.length + untag.length === 0) {
          throw toUsageError("Give --tag, --untag or --tags.");
        }
        const replacing = tags === undefined ? undefined : toList(tags);
        const { run_by: runBy } = await (await loadLists()).showWorkflow(
          services,
          author.caller,
          id,
        );
        const isGiven = tag.length + (replacing?.length ?? 0) > 0;
        const { published, draft } = await listWorkflowOpened(services, author.caller, id);
        const opened = published.length > 0 ? published : draft;
        await confirmOpened(cli.terminal, isGiven && runBy === "tags" ? opened : [], yes === true);
        const changed = await setTags(services, author, id, {
          addTags: tag,
          removeTags: untag,
          ...(replacing !== undefined && { tags: replacing }),
        });
        return { json: changed, text: toWorkflowText(changed) };
      }),
    );

  workflow
    .command("owner")
    .argument(...workflowArgument)
    .description("offer a workflow to a new owner, who must accept it, or withdraw the offer")
    .option("--to <email>", "the new owner")
    .option("--withdraw", "end the offer")
    .action((name: string, { to, withdraw }: OwnerOptions, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author, lookups }, id) => {
        if ((to === undefined) === (withdraw === undefined)) {
          throw toUsageError("Give either --to or --withdraw.");
        }
        const { offerWorkflow, endOffer } = await loadOwner();
        if (to === undefined) {
          const ended = await endOffer(services, author, id);
          return { json: ended, text: `The offer of "${ended.name}" has ended.` };
        }
        const { email: owner } = await lookups.findUser(to);
        const offered = await offerWorkflow(services, author, id, { owner });
        return {
          json: offered,
          text: `"${offered.name}" is offered to ${owner}, who must accept it.`,
        };
      }),
    );
}
