import { parseJson } from "@hub/connector";
import { type WorkflowBody, workflowBodySchema } from "@hub/contract/workflow-body.ts";
import { HubError } from "../../errors.ts";
import { findTokenSpans } from "../../secrets/value-tokens/token-format.ts";
import { buildGraph, type Graph } from "../validation/graph/body-graph.ts";

/** A body that is ready to run. Shared by all its runs, so it never changes. */
export type Plan = {
  bodyId: string;
  body: WorkflowBody;
  graph: Graph;
  hasScheduleTrigger: boolean;
  /** The value tokens in its fields. */
  tokens: readonly string[];
};

export type Plans = {
  /** Throws if the body does not exist or cannot be read. */
  load(bodyId: string): Promise<Plan>;
};

type PlansDeps = { readBody(bodyId: string): Promise<string | null> };

/** Plans of more bodies than this are read again, so that memory stays bounded. */
const charsMax = 8 * 1024 * 1024;

/** Keeps the plans of recently used bodies. A body never changes under its id. */
export function createPlans({ readBody }: PlansDeps): Plans {
  const kept = new Map<string, { plan: Plan; chars: number }>();
  let chars = 0;
  return {
    async load(bodyId) {
      const known = kept.get(bodyId);
      if (known !== undefined) {
        // Moves to the end: the first one is the one that was not used for longest.
        kept.delete(bodyId);
        kept.set(bodyId, known);
        return known.plan;
      }
      const text = await readBody(bodyId);
      if (text === null) {
        throw new HubError("not_found", "The version of the workflow that this run uses is gone.");
      }
      const plan = toPlan(bodyId, text);
      if (!kept.has(bodyId)) {
        kept.set(bodyId, { plan, chars: text.length });
        chars += text.length;
      }
      for (const [id, old] of kept) {
        if (chars <= charsMax || id === bodyId) break;
        kept.delete(id);
        chars -= old.chars;
      }
      return plan;
    },
  };
}

function toPlan(bodyId: string, text: string): Plan {
  const parsed = workflowBodySchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new HubError(
      "conflict",
      "This version of the workflow is from another version of the hub and cannot run. Open its draft, save it and publish it again.",
      { cause: parsed.error },
    );
  }
  const body = parsed.data;
  const hasScheduleTrigger = body.triggers.some(({ type }) => type === "schedule_at");
  const tokens = findTokenSpans(text).map(({ start, end }) => text.slice(start, end));
  return { bodyId, body, graph: buildGraph(body), hasScheduleTrigger, tokens };
}
