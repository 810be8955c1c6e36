import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import { hasTooManyQuestions } from "../../../operations/pending/ask-question.ts";
import { readPendingDetail } from "../../../operations/pending/pending-error.ts";
import type { Calls, ToolCatalogue } from "../../../operations/ports.ts";
import { readRunContext } from "../accept/run-context.ts";
import { LeaseLostError } from "../claim/lease-lost-error.ts";
import { sampleValue } from "../dry-run/sample-value.ts";
import { findEffects } from "../step/node-effects.ts";
import type { OpenedStep, OpenStep, StepContext, StepOutcome } from "../step/open-step.ts";
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
      const origin = toOrigin(ctx, caller);
      const { tool: found, asks } = await calls.check({ caller, origin, hubs }, { toolId, params });
      const { output_schema: schema } = found;
      return { output: schema === undefined ? undefined : sampleValue(schema), asks };
    },
    effects,
    changes,
    isCall: true,
    async run({ signal, idempotencyKey, attempt, recordCall }) {
      const caller = await findOwner();
      const origin = toOrigin(ctx, caller);
      const { id, startedBy } = ctx.run;
      const step = { nodeId: ctx.nodeId, item: ctx.item, attempt };
      const cause = { kind: "workflow", id, startedBy, idempotencyKey, step } as const;
      // What runs is what people were shown: the stored request, and not one that is rendered again.
      const request =
        ctx.asked?.step.attempt === attempt
          ? { toolId, params: {}, pendingId: ctx.asked.id }
          : { toolId, params };
      try {
        const { value } = await calls.call(
          { caller, findCaller: findOwner, origin, signal, cause, hubs, onRecord: recordCall },
          request,
        );
        return { kind: "done", output: value };
      } catch (thrown) {
        const wait = thrown instanceof HubError ? findWait(thrown, ctx.now()) : null;
        if (wait === null) throw thrown;
        // A call that nothing waits for any more. Another process that has taken over the run waits for the same question.
        const isOver = signal.aborted && !(signal.reason instanceof LeaseLostError);
        if (isOver && wait.callId !== null) await ctx.endAsked(wait.callId);
        return wait;
      }
    },
  };
}

/** How long to wait until another call can be asked about, and before a look at a call whose approval was used meanwhile. */
const retryMs = 60_000;
const lookMs = 1_000;

type CallWait = Extract<StepOutcome, { kind: "await_call" }>;

/** The wait of a call that people must decide on first. Null for other failures. */
function findWait(failure: HubError, at: number): CallWait | null {
  if (hasTooManyQuestions(failure)) {
    return { kind: "await_call", callId: null, until: at + retryMs };
  }
  if (failure.code !== "approval_required") return null;
  const detail = readPendingDetail(failure);
  if (detail === null) return { kind: "await_call", callId: null, until: at + lookMs };
  return { kind: "await_call", callId: detail.pending_id, until: Date.parse(detail.expires_at) };
}
