import { argument, choice } from "../declare/parameters.ts";

/** What a command on one workflow takes. The value of the argument is the id. */
export const oneWorkflow = {
  id: argument("<workflow>", "id or name", ({ findWorkflowId }, typed) => findWorkflowId(typed)),
};

/** What a command on one of its runs takes. */
export const oneRun = { ...oneWorkflow, run: argument("<run>", "id of the run") };

export const runByOption = choice("<who>", "who may start it by hand, beside admins", [
  "tags",
  "owner",
]);
