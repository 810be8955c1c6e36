import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { OpenStep, StepOutcome } from "../step/open-step.ts";

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;

/** A body with a manual trigger at its first node. Edges are written as `a>b` or `a>b:case`. */
export const bodyOf = (nodes: Nodes, edges: string[] = [], more: WorkflowBodyInput = {}) => ({
  triggers: [{ id: "start", type: "manual" as const, entry: nodes[0]?.id ?? "" }],
  nodes,
  edges: edges.map((text) => {
    const [, from = "", to = "", name] = /^(\w+)>(\w+)(?::(\w+))?$/.exec(text) ?? [];
    return { from, to, ...(name !== undefined && { case: name }) };
  }),
  ...more,
});
/** A node whose output is `value`. */
export const set = (id: string, value: unknown) => ({ id, type: "set" as const, value });
/** A node that calls the operation of `openEngine`. */
export const call = (id: string, more: object = {}) => ({
  id,
  type: "operation" as const,
  tool_id: "conn:1/send",
  ...more,
});
/** An operation node whose calls `answer` gives. */
export const operation =
  (
    answer: (call: {
      params: unknown;
      nodeId: string;
      item: number;
      signal: AbortSignal;
    }) => unknown,
    hasEffects = false,
  ): OpenStep<"operation"> =>
  (ctx, { params, repeat }) => {
    const input = ctx.render(params);
    return {
      input,
      effects: !hasEffects ? "none" : repeat ? "repeatable" : "once",
      run: async ({ signal }): Promise<StepOutcome> => ({
        kind: "done",
        output: await answer({ params: input, nodeId: ctx.nodeId, item: ctx.item, signal }),
      }),
    };
  };
