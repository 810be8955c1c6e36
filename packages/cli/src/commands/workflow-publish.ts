import { command } from "../declare/command.ts";
import { flag, option } from "../declare/parameters.ts";
import { confirmOpened } from "../workflows/confirm-opened.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";
import { toProblemText } from "../workflows/workflow-text.ts";

export const workflowPublish = command(
  "publish",
  "publish the draft as the next version; errors stop it, warnings do not",
  {
    takes: {
      ...oneWorkflow,
      note: option("<text>", "what is new in this version"),
      yes: flag("do not ask before operations are opened to users who share a tag"),
    },
    async does({ services, author }, { id, note, yes }, { terminal }) {
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
      await confirmOpened(terminal, isShared ? added : [], yes === true);
      const revision = draft?.revision ?? 0;
      return await publishWorkflow(services, author, id, { revision, note });
    },
    shows({ name, version, problems }) {
      const warnings = problems.length === 0 ? "" : `\n${toProblemText(problems)}`;
      return `"${name}" is published as version ${version}.${warnings}`;
    },
  },
);
