import { toBytesText } from "@hub/connector";
import type { WorkflowPin } from "@hub/contract/workflow-pin.ts";
import { command, innerGroup } from "../declare/command.ts";
import { argument, requiredOption } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";

const loadPins = () => import("@hub/server/workflows/definition/manage-pins.ts");

const oneNode = { ...oneWorkflow, node: argument("<node>", "id of a node of the draft") };

const shows = table<WorkflowPin>(
  [
    ["node", "node_id"],
    ["size", ({ bytes }) => toBytesText(bytes)],
    ["pinned by", ({ pinned_by: user }) => user.email],
    ["pinned", "pinned_at"],
  ],
  "The workflow has no pins.",
);

export const workflowPin = innerGroup("pin", "the outputs that are pinned for tests of a draft", [
  command("list", "list the nodes whose output is pinned", {
    takes: oneWorkflow,
    does: async ({ services, author }, { id }) =>
      (await loadPins()).listPins(services, author.caller, id),
    shows,
  }),
  command("set", "pin the output that a node gave in a run", {
    takes: { ...oneNode, run: requiredOption("<run>", "the run whose output is pinned") },
    does: async ({ services, author }, { id, node, run }) =>
      (await loadPins()).setPin(services, author, id, node, { run }),
    shows,
  }),
  command("remove", "remove the pin of a node", {
    takes: oneNode,
    does: async ({ services, author }, { id, node }) =>
      (await loadPins()).removePin(services, author, id, node),
    shows,
  }),
]);
