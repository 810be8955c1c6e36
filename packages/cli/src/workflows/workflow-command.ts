import { argument, choice } from "../declare/parameters.ts";

/** The argument by which every command names a workflow. Its value is the id. */
export const workflowArgument = argument("<workflow>", "id or name", ({ findWorkflowId }, typed) =>
  findWorkflowId(typed),
);

/** What a command on one workflow takes. */
export const oneWorkflow = { id: workflowArgument };

/** What a command on one of its runs takes. */
export const oneRun = { ...oneWorkflow, run: argument("<run>", "id of the run") };

export const runByOption = choice("<who>", "who may start it by hand, beside admins", [
  "tags",
  "owner",
]);
