import type { RowDirectory } from "../../../connectors/rows/row-directory.ts";
import { HubError } from "../../../errors.ts";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import { findChannel } from "../../channels/find-channel.ts";
import type { OpenStep } from "../step/open-step.ts";
import { type OperationDeps, openCall } from "./operation-node.ts";

type ChannelDeps = OperationDeps & { directory: Pick<RowDirectory, "current"> };

/** Calls an action of a channel as the owner of the workflow. It is an operation of the channel's row. */
export function createOpenChannel({ directory, ...ports }: ChannelDeps): OpenStep<"channel"> {
  return async (ctx, node) => {
    const rendered = ctx.render(node.args);
    const owner = await ctx.findOwner();
    const channel = findChannel((await directory.current()).rows, owner, node.channel);
    if (channel === null) {
      throw new HubError(
        "not_found",
        `The owner of the workflow sees no channel "${node.channel}". Use the slug of a channel, and ask an admin for one of its tags.`,
      );
    }
    // What leaves the hub for people must not contain a secret that the run has met.
    return await openCall(ports, ctx, {
      toolId: toToolId(channel.id, node.op),
      node,
      readParams: () => ctx.seal(rendered),
      toInput: (args) => ({ channel: node.channel, op: node.op, args }),
    });
  };
}
