import type { Operations } from "../../../operations/operations.ts";
import type { OpenStep } from "../open-step.ts";

type OperationDeps = { operations: Pick<Operations, "execute" | "getTool"> };

/** Calls an operation as the owner of the workflow, with every check of the call pipeline. */
export function createOpenOperation({ operations }: OperationDeps): OpenStep<"operation"> {
  return async (ctx, node) => {
    const rendered = ctx.render(node.params);
    // Rendering keeps the names of an object's members.
    const params = rendered as Record<string, unknown>;
    const tool = await operations.getTool(await ctx.findOwner(), node.tool_id);
    // Only after the check: the owner must not learn whether a value is the secret of a hidden row.
    await ctx.useRow(node.tool_id);
    return {
      input: { tool_id: node.tool_id, params },
      hasEffects: tool.destructive && !tool.idempotent && !node.repeat,
      isCall: true,
      async run({ signal, idempotencyKey, noteCall }) {
        // Tries can be hours apart.
        const caller = await ctx.findOwner();
        const origin = { source: "workflow" as const, ip: null, userAgent: null };
        const { id: runId, startedBy } = ctx.run;
        const workflow = { runId, startedBy, idempotencyKey };
        const { value, runId: callRunId } = await operations.execute(
          { caller, origin, signal, workflow },
          { toolId: node.tool_id, params },
        );
        noteCall(callRunId);
        return { kind: "done", output: value };
      },
    };
  };
}
