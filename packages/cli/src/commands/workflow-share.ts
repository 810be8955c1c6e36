import { answeringCommand, command } from "../declare/command.ts";
import { flag, option, tagOptions, toTagChange } from "../declare/parameters.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { confirmOpened } from "../workflows/confirm-opened.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";
import { toWorkflowText } from "../workflows/workflow-text.ts";

export const workflowTags = command("tags", "change who sees a workflow and may start it", {
  takes: {
    ...oneWorkflow,
    ...tagOptions,
    yes: flag("do not ask before operations are opened to others"),
  },
  async does({ services, author }, { id, yes, ...values }, { terminal }) {
    const { setTags, listWorkflowOpened } = await import(
      "@hub/server/workflows/definition/change-workflow.ts"
    );
    const { showWorkflow } = await import("@hub/server/workflows/definition/list-workflows.ts");
    const change = toTagChange(values);
    if (values.tags === undefined && change.addTags.length + change.removeTags.length === 0) {
      throw toUsageError("Give --tag, --untag or --tags.");
    }
    const { run_by: runBy } = await showWorkflow(services, author.caller, id);
    const isGiven = change.addTags.length + (values.tags?.length ?? 0) > 0;
    const { published, draft } = await listWorkflowOpened(services, author.caller, id);
    const opened = published.length > 0 ? published : draft;
    await confirmOpened(terminal, isGiven && runBy === "tags" ? opened : [], yes === true);
    return await setTags(services, author, id, change);
  },
  shows: toWorkflowText,
});

export const workflowOwner = answeringCommand(
  "owner",
  "offer a workflow to a new owner, who must accept it, or withdraw the offer",
  {
    takes: {
      ...oneWorkflow,
      to: option("<email>", "the new owner"),
      withdraw: flag("end the offer"),
    },
    async answers({ services, author, lookups }, { id, to, withdraw }) {
      if ((to === undefined) === (withdraw === undefined)) {
        throw toUsageError("Give either --to or --withdraw.");
      }
      const { offerWorkflow, endOffer } = await import(
        "@hub/server/workflows/definition/offer-workflow.ts"
      );
      if (to === undefined) {
        const ended = await endOffer(services, author, id);
        return { json: ended, text: `The offer of "${ended.name}" has ended.` };
      }
      const { email: owner } = await lookups.findUser(to);
      const offered = await offerWorkflow(services, author, id, { owner });
      const text = `"${offered.name}" is offered to ${owner}, who must accept it.`;
      return { json: offered, text };
    },
  },
);
