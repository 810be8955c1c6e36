import { toJsonText } from "@hub/connector";
import type { WorkflowVersion } from "@hub/contract/workflow.ts";
import { answeringCommand, command } from "../declare/command.ts";
import { numberArgument, option } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { toPrintable } from "../text/table.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";

const loadVersions = () => import("@hub/server/workflows/definition/list-versions.ts");

export const workflowVersions = [
  answeringCommand("versions", "list the versions of a workflow, or show one of them", {
    takes: {
      ...oneWorkflow,
      version: numberArgument("[version]", "number of a version, whose body is printed"),
    },
    async answers({ services, author }, { id, version }) {
      const { listVersions, showVersion } = await loadVersions();
      if (version !== undefined) {
        const shown = await showVersion(services, author.caller, id, version);
        return { json: shown, text: toJsonText(shown.body, 2) };
      }
      const versions = await listVersions(services, author.caller, id);
      return { json: versions, text: toVersionTable(versions) };
    },
  }),
  command("diff", "say what differs between two versions, or between a version and the draft", {
    takes: {
      ...oneWorkflow,
      from: option("<version>", "published, draft or a number (default: published)"),
      to: option("<version>", "published, draft or a number (default: draft)"),
    },
    does: async ({ services, author }, { id, ...range }) =>
      (await loadVersions()).compareVersions(services, author.caller, id, range),
    shows: ({ difference: { sentences } }) =>
      sentences.map(toPrintable).join("\n") || "They are the same.",
  }),
  command("restore", "make the body of a version the draft", {
    takes: { ...oneWorkflow, version: numberArgument("<version>", "number of a version") },
    async does({ services, author }, { id, version }) {
      const { showWorkflow } = await import("@hub/server/workflows/definition/list-workflows.ts");
      const { restoreVersion } = await import("@hub/server/workflows/definition/save-draft.ts");
      const { draft } = await showWorkflow(services, author.caller, id);
      const revision = draft?.revision ?? 0;
      return await restoreVersion(services, author, id, version, { revision });
    },
    shows: (_, { version }) => `The draft is version ${version} now. Publish it to use it.`,
  }),
];

const toVersionTable = table<WorkflowVersion>(
  [
    "version",
    ["published", "published_at"],
    ["by", ({ published_by }) => published_by.email],
    "note",
    ["state", ({ is_published }) => (is_published ? "runs use it" : null)],
  ],
  "The workflow was never published.",
);
