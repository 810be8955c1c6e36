import { HubError } from "../../../errors.ts";
import type { NodeTypes, OpenStep } from "../step/open-step.ts";
import { openBranch } from "./branch-node.ts";
import { openFail } from "./fail-node.ts";
import { openSet } from "./set-node.ts";
import { openSubworkflow } from "./subworkflow-node.ts";
import { openSwitch } from "./switch-node.ts";
import { openWait } from "./wait-node.ts";
import { openWebhookRespond } from "./webhook-respond-node.ts";

type NodeTypesDeps = {
  openOperation: OpenStep<"operation">;
  openHttp: OpenStep<"http">;
  openApproval?: OpenStep<"approval">;
  /** Without it, the process runs no scripts. */
  openCode?: OpenStep<"code">;
  /** Without it, the process has no channels. */
  openChannel?: OpenStep<"channel">;
};

/** What carries out each type of node. */
export function createNodeTypes({
  openOperation,
  openHttp,
  openApproval = refuseNode,
  openCode = refuseNode,
  openChannel = refuseNode,
}: NodeTypesDeps): NodeTypes {
  return {
    operation: openOperation,
    http: openHttp,
    branch: openBranch,
    switch: openSwitch,
    set: openSet,
    wait: openWait,
    workflow: openSubworkflow,
    webhook_respond: openWebhookRespond,
    fail: openFail,
    code: openCode,
    approval: openApproval,
    channel: openChannel,
  };
}

/** A type that this hub cannot run yet. Publishing refuses it too. */
function refuseNode(_ctx: unknown, { type }: { type: string }): never {
  throw new HubError(
    "conflict",
    `This hub cannot run nodes of the type "${type}". Remove the node.`,
  );
}
