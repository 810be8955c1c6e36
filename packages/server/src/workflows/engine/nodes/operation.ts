import type { Operations } from "../../../operations/operations.ts";
import type { OpenStep } from "../open-step.ts";
import { createOwnerFinder } from "./find-recent-owner.ts";

type OperationDeps = { operations: Pick<Operations, "execute" | "getTool"> };

/** Calls an operation as the owner of the workflow, with every check of the call pipeline. */
export function createOpenOperation({ operations }: OperationDeps): OpenStep<"operation"> {
  return async (ctx, node) => {
    const rendered = ctx.render(node.params);
    // Rendering keeps the names of an object's members.
    const params = rendered as Record<string, unknown>;
    const findOwner = createOwnerFinder(ctx);
    const tool = await operations.getTool(await findOwner(), node.tool_id);
    // Only after the check: the owner must not learn whether a value is the secret of a hidden row.
    await ctx.useRow(node.tool_id);
    return {
      input: { tool_id: node.tool_id, params },
      effects: !tool.destructive ? "none" : tool.idempotent || node.repeat ? "repeatable" : "once",
      isCall: true,
      async run({ signal, idempotencyKey, noteCall }) {
        const caller = await findOwner();
        const origin = { source: "workflow" as const, ip: null, userAgent: null };
        const { id: runId, startedBy } = ctx.run;
        const workflow = { runId, startedBy, idempotencyKey };
        const { value } = await operations.execute(
          { caller, origin, signal, workflow, onRecord: noteCall },
          { toolId: node.tool_id, params },
        );
        return { kind: "done", output: value };
      },
    };
  };
}
