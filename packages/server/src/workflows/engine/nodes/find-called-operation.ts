import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { RowDirectory } from "../../../connectors/rows/row-directory.ts";
import { parseToolId, toToolId } from "../../../operations/catalogue/tool-id.ts";
import type { ToolCatalogue } from "../../../operations/ports.ts";
import type { CalledOperation } from "../../approvals/show-node.ts";
import { findVisible } from "../../approvals/what-will-run.ts";
import { findChannel } from "../../channels/find-channel.ts";
import type { StepContext } from "../step/open-step.ts";
import { createOwnerFinder } from "./find-recent-owner.ts";

export type CalledDeps = {
  catalogue: Pick<ToolCatalogue, "get">;
  directory: Pick<RowDirectory, "current">;
};

/** Finds the operation of a row that a node calls, as the owner of the run sees it; null if there is none. */
export function createCalledFinder({ catalogue, directory }: CalledDeps, ctx: StepContext) {
  const findOwner = createOwnerFinder(ctx);
  const findToolId = async (node: WorkflowNode): Promise<string | null> => {
    if (node.type === "operation") return node.tool_id;
    if (node.type !== "channel") return null;
    const { rows } = await directory.current();
    const channel = findChannel(rows, await findOwner(), node.channel);
    return channel && toToolId(channel.id, node.op);
  };
  return async (node: WorkflowNode): Promise<CalledOperation | null> => {
    const toolId = await findToolId(node);
    if (toolId === null) return null;
    const owner = await findOwner();
    const tool = await findVisible(() => catalogue.get(owner, toolId));
    if (tool === null) return null;
    // Only after the check: the owner must not learn whether a value is the secret of a hidden row.
    await ctx.useRow(toolId);
    const { label, connector, name, description, destructive, idempotent } = tool;
    const row = (await directory.current()).find(parseToolId(toolId)?.rowId ?? "");
    const connectorKey = row?.connectorKey ?? "";
    const names = { rowLabel: label, connectorKey, connectorName: connector, name, description };
    return { ...names, destructive, idempotent };
  };
}
