import type {
  WorkflowApproval,
  WorkflowApprovalDetail,
  WorkflowApprovalState,
  WorkflowDecision,
  WorkflowWillRun,
} from "@hub/contract/workflow-approval.ts";
import { workflowApprovalStateSchema } from "@hub/contract/workflow-approval.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import { toFacts, toPrintable, toTable } from "../text/table.ts";
import { answerForWorkflow } from "../workflows/workflow-command.ts";

const loadList = () => import("@hub/server/workflows/approvals/list-approvals.ts");
const approvalArgument = ["<approval>", "id, or its first characters"] as const;

type ListOptions = { state?: WorkflowApprovalState };

export function defineWorkflowApprovals(workflow: Command, cli: Cli): void {
  workflow
    .command("approvals")
    .argument("[approval]", "id of an approval, to show it with what will run")
    .description("list the approvals that runs wait for, newest first, or show one")
    .addOption(
      new Option("--state <state>", "only approvals in this state")
        .choices(workflowApprovalStateSchema.options)
        .default("pending"),
    )
    .action((typed: string | undefined, { state }: ListOptions, command: Command) =>
      answerForWorkflow(cli, command, async ({ services, author, lookups }) => {
        const { listApprovals, showApproval } = await loadList();
        if (typed !== undefined) {
          const id = await lookups.findApprovalId(typed);
          const shown = await showApproval(services, author.caller, id);
          return { json: shown, text: toApprovalText(shown) };
        }
        const approvals = await readAllPages((page) =>
          listApprovals(services, author.caller, { ...page, state }),
        );
        return { json: approvals, text: toApprovalTable(approvals) };
      }),
    );

  for (const [name, decision] of [
    ["approve", "approved"],
    ["deny", "denied"],
  ] as const) {
    workflow
      .command(name)
      .argument(...approvalArgument)
      .description(`${name} what a run asks; it is recorded as the local admin`)
      .option("--comment <text>", "a comment that the run can read")
      .action((typed: string, { comment }: { comment?: string }, command: Command) =>
        decide(cli, command, typed, { decision, ...(comment !== undefined && { comment }) }),
      );
  }
}

async function decide(
  cli: Cli,
  command: Command,
  typed: string,
  given: Omit<WorkflowDecision, "hash">,
): Promise<void> {
  await answerForWorkflow(cli, command, async ({ services, author, lookups }) => {
    const { decideApproval } = await import("@hub/server/workflows/approvals/decide-approval.ts");
    const { showApproval } = await loadList();
    const id = await lookups.findApprovalId(typed);
    const { hash } = await showApproval(services, author.caller, id);
    const decided = await decideApproval(services, author.actor, { id, hash, ...given });
    return { json: decided, text: toApprovalText(decided) };
  });
}

function toApprovalTable(approvals: readonly WorkflowApproval[]): string {
  return toTable(
    approvals,
    [
      ["asked", ({ created_at }) => created_at],
      ["state", ({ state }) => state],
      ["workflow", ({ workflow_name }) => workflow_name],
      ["title", ({ title }) => title],
      ["expires", ({ expires_at }) => expires_at],
      ["id", ({ id }) => id],
    ],
    "There are no such approvals.",
  );
}

function toApprovalText(approval: WorkflowApprovalDetail): string {
  const { tags, users } = approval.approvers;
  const facts = toFacts([
    ["approval", approval.id],
    ["title", approval.title],
    ["state", approval.state],
    ["workflow", `${approval.workflow_name} (${approval.workflow_id})`],
    ["run", approval.run_id],
    ["approvers", [...tags.map((tag) => `tag ${tag}`), ...users].join(", ")],
    ["started by", approval.started_by],
    ["edited by", approval.edited_by.join(", ")],
    ["expires", approval.expires_at],
    ["decided by", approval.decided_by],
    ["comment", approval.comment],
  ]);
  const details = approval.details === "" ? [] : [toPrintableLines(approval.details)];
  const more =
    approval.will_run_more === 0 ? [] : [`There are ${approval.will_run_more} more such nodes.`];
  const willRun =
    approval.will_run.length === 0
      ? ["Nothing that follows on approved changes anything."]
      : ["On approved, this runs:", ...approval.will_run.map(toWillRunText), ...more];
  return [facts, ...details, willRun.join("\n")].join("\n\n");
}

function toWillRunText({ node_id, type, target, ...node }: WorkflowWillRun): string {
  const notes = [
    ...(node.is_rendered ? [] : ["as templates, not compared"]),
    ...(node.depends_on.length > 0 ? [`depends on ${node.depends_on.join(", ")}`] : []),
    ...(node.uses_time ? ["reads the time"] : []),
    ...(node.items === null ? [] : [`${node.items.count} times`]),
    ...(node.is_cut ? ["cut"] : []),
    ...(node.problem === null ? [] : [node.problem]),
  ];
  const title = `${node_id}: ${type} ${target}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
  const fields = [node.fields, ...(node.items?.shown ?? [])].map(
    (value) => `  ${toPrintable(JSON.stringify(value))}`,
  );
  return [toPrintable(title), ...fields].join("\n");
}

function toPrintableLines(text: string): string {
  return text.split(/\r?\n/).map(toPrintable).join("\n");
}
