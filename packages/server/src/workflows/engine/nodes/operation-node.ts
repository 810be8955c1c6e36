import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Calls, ToolCatalogue } from "../../../operations/ports.ts";
import { readRunContext } from "../accept/run-context.ts";
import { sampleValue } from "../dry-run/sample-value.ts";
import { findEffects } from "../step/node-effects.ts";
import type { OpenedStep, OpenStep, StepContext } from "../step/open-step.ts";
import { createOwnerFinder } from "./find-recent-owner.ts";
import { toOrigin } from "./to-origin.ts";

export type OperationDeps = { calls: Calls; catalogue: Pick<ToolCatalogue, "get"> };

/** Calls an operation as the owner of the workflow, with every check of the call pipeline. */
export function createOpenOperation(deps: OperationDeps): OpenStep<"operation"> {
  return async (ctx, node) => {
    const rendered = ctx.render(node.params);
    return await openCall(deps, ctx, {
      toolId: node.tool_id,
      node,
      readParams: () => rendered,
      toInput: (params) => ({ tool_id: node.tool_id, params }),
    });
  };
}

type StepCall = {
  toolId: string;
  node: WorkflowNode;
  /** The rendered params, after the secrets of the row are in the mask of the run. */
  readParams(): Json | Promise<Json>;
  /** What the step shows of the call. */
  toInput(params: Json): Json;
};

/** A step that calls one operation. */
export async function openCall(
  { calls, catalogue }: OperationDeps,
  ctx: StepContext,
  { toolId, node, readParams, toInput }: StepCall,
): Promise<OpenedStep> {
  const findOwner = createOwnerFinder(ctx);
  const tool = await catalogue.get(await findOwner(), toolId);
  // Only after the check: the owner must not learn whether a value is the secret of a hidden row.
  await ctx.useRow(toolId);
  const shown = await readParams();
  // Rendering keeps the names of an object's members.
  const params = shown as Record<string, unknown>;
  const { changes, repeats: effects } = findEffects(node, tool);
  const { hubs = [] } = readRunContext(ctx.run.context);
  return {
    input: toInput(shown),
    async dryRun() {
      const caller = await findOwner();
      const { output_schema: schema } = await calls.check(
        { caller, origin: toOrigin(ctx, caller), hubs },
        { toolId, params },
      );
      return { output: schema === undefined ? undefined : sampleValue(schema) };
    },
    effects,
    changes,
    isCall: true,
    async run({ signal, idempotencyKey, recordCall }) {
      const caller = await findOwner();
      const origin = toOrigin(ctx, caller);
      const { id, startedBy } = ctx.run;
      const cause = { kind: "workflow", id, startedBy, idempotencyKey } as const;
      const { value } = await calls.call(
        { caller, findCaller: findOwner, origin, signal, cause, hubs, onRecord: recordCall },
        { toolId, params },
      );
      return { kind: "done", output: value };
    },
  };
}
