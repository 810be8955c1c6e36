import { toJsonText } from "@hub/connector";
import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { answeringCommand, command, group, list, switches } from "../declare/command.ts";
import { argument, choice, findUserId, option } from "../declare/parameters.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";
import { toExampleTable, toExampleText } from "../workflows/workflow-example-text.ts";
import { toWorkflowTable, toWorkflowText } from "../workflows/workflow-text.ts";
import { workflowApprovals } from "./workflow-approvals.ts";
import { workflowEdit, workflowValidate } from "./workflow-edit.ts";
import { workflowExplain, workflowWhy } from "./workflow-explain.ts";
import { workflowImport, workflowNew } from "./workflow-new.ts";
import { workflowPin } from "./workflow-pin.ts";
import { workflowPublish } from "./workflow-publish.ts";
import { workflowResume } from "./workflow-resume.ts";
import { workflowRuns } from "./workflow-run.ts";
import { workflowScheduled } from "./workflow-scheduled.ts";
import { workflowSecret } from "./workflow-secret.ts";
import { workflowOwner, workflowTags } from "./workflow-share.ts";
import { workflowVersions } from "./workflow-versions.ts";
import { workflowDeliveries, workflowWebhooks } from "./workflow-webhooks.ts";

const loadLists = () => import("@hub/server/workflows/definition/list-workflows.ts");
const loadChanges = () => import("@hub/server/workflows/definition/change-workflow.ts");

const takes = oneWorkflow;

const switchTexts = {
  enable: "enable a workflow",
  disable: "disable a workflow: its triggers fire no more, and it can still be started by hand",
};

export const define = group(
  {
    examples: [
      'workflow new "Daily report" --owner ada@example.com --file report.json',
      "workflow new Alarm --owner ada@example.com --example failure-alarm --row chat=Chat",
      'workflow publish "Daily report" --note "First version"',
      'workflow tags "Daily report" --tag support',
    ],
  },
  [
    list("list", "list all workflows", {
      takes: {
        owner: option("<email>", "only workflows of this user", findUserId),
        tag: option("<tag>", "only workflows with this tag"),
        search: option("<text>", "only workflows with this text in their name or id"),
        state: choice("<state>", "only workflows in this state", [
          "published",
          "draft",
          "disabled",
        ]),
      },
      reads: async ({ services, author }, { search: q, ...filter }, page) =>
        (await loadLists()).listWorkflows(services, author.caller, { q, ...filter, ...page }),
      shows: toWorkflowTable,
    }),
    command("show", "show a workflow; secrets stay hidden", {
      takes,
      does: async ({ services, author }, { id }) =>
        (await loadLists()).showWorkflow(services, author.caller, id),
      shows: (shown: WorkflowDetail) => toWorkflowText(shown),
    }),
    workflowNew,
    answeringCommand("examples", "list the examples that a workflow can start from, or show one", {
      takes: { id: argument("[example]", "id of an example, to show what it needs") },
      async answers(_, { id }) {
        const { listExamples } = await import("@hub/server/workflows/examples/list-examples.ts");
        const examples = listExamples();
        if (id === undefined) return { json: examples, text: toExampleTable(examples) };
        const found = examples.find((example) => example.id === id);
        if (found !== undefined) return { json: found, text: toExampleText(found) };
        const known = examples.map((example) => example.id).join(", ");
        throw toUsageError(`There is no example "${id}". Examples: ${known}.`);
      },
    }),
    workflowEdit,
    workflowValidate,
    workflowPublish,
    ...switches.map((verb) =>
      command(verb, switchTexts[verb], {
        takes,
        does: async ({ services, author }, { id }) =>
          (await loadChanges())[`${verb}Workflow`](services, author, id),
        shows: ({ name }) => `"${name}" is ${verb}d.`,
      }),
    ),
    command(
      "delete",
      "delete a workflow with its versions and secrets; its recorded runs are kept",
      {
        takes,
        does: async ({ services, author }, { id }) =>
          (await loadChanges()).deleteWorkflow(services, author, id),
        shows: ({ name, id }) => `Deleted "${name}" (${id}).`,
      },
    ),
    ...workflowVersions,
    workflowExplain,
    workflowWhy,
    command("export", "print the draft with the names of the secrets that it needs, as JSON", {
      takes,
      async does({ services, author }, { id }) {
        const { exportWorkflow } = await import(
          "@hub/server/workflows/definition/export-workflow.ts"
        );
        return await exportWorkflow(services, author.caller, id);
      },
      shows: (exported) => toJsonText(exported, 2),
    }),
    workflowImport,
    ...workflowRuns,
    workflowResume,
    ...workflowApprovals,
    workflowScheduled,
    workflowWebhooks,
    workflowDeliveries,
    workflowPin,
    workflowSecret,
    workflowTags,
    workflowOwner,
  ],
);
