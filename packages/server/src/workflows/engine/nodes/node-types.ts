import { HubError } from "../../../errors.ts";
import type { NodeTypes, OpenStep } from "../open-step.ts";
import { openBranch } from "./branch.ts";
import { openFail } from "./fail.ts";
import { openSet } from "./set.ts";
import { openSubworkflow } from "./subworkflow.ts";
import { openSwitch } from "./switch.ts";
import { openWait } from "./wait.ts";
import { openWebhookRespond } from "./webhook-respond.ts";

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
