import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import type { Answer } from "../text/print-answer.ts";

type CommandHub = Parameters<Parameters<Cli["answer"]>[1]>[0];

/** The argument by which every command names a workflow. */
export const workflowArgument = ["<workflow>", "id or name"] as const;

export const createRunByOption = () =>
  new Option("--run-by <who>", "who may start it by hand, beside admins").choices([
    "tags",
    "owner",
  ]);

/** The hub of a command, with the local admin as author of changes of workflows. */
export type WorkflowHub = CommandHub & {
  author: { caller: typeof import("@hub/server/identity/local-admin.ts").localAdmin } & Pick<
    CommandHub,
    "actor"
  >;
};

/** Runs a command on workflows as the local admin. */
export function answerForWorkflow(
  cli: Cli,
  command: Command,
  work: (hub: WorkflowHub) => Promise<Answer>,
): Promise<void> {
  return cli.answer(command, async (hub) => {
    const { localAdmin } = await import("@hub/server/identity/local-admin.ts");
    return await work({ ...hub, author: { caller: localAdmin, actor: hub.actor } });
  });
}

/** The same for one workflow, found by the name that was typed. */
export function answerForOne(
  cli: Cli,
  command: Command,
  typed: string,
  work: (hub: WorkflowHub, id: string) => Promise<Answer>,
): Promise<void> {
  return answerForWorkflow(cli, command, async (hub) => {
    return await work(hub, await hub.lookups.findWorkflowId(typed));
  });
}
