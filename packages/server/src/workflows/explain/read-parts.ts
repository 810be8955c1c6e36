import {
  type WorkflowBody,
  type WorkflowEdge,
  workflowEdgeSchema,
  workflowSettingsSchema,
} from "@hub/contract/workflow-body.ts";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";
import { type WorkflowNode, workflowNodeSchema } from "@hub/contract/workflow-node.ts";
import { type WorkflowTrigger, workflowTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import type { z } from "zod";
import type { Pace } from "../validation/validation-pace.ts";

/** The parts of a body that can be read. A draft may have errors, and then lacks some. */
export type BodyParts = {
  triggers: WorkflowTrigger[];
  nodes: WorkflowNode[];
  edges: WorkflowEdge[];
  settings: WorkflowBody["settings"];
  /** How many triggers, nodes and edges cannot be read. */
  unreadable: number;
};

export async function readParts(body: unknown, pace: Pace): Promise<BodyParts> {
  const { triggersMax, nodesMax, edgesMax } = workflowBodyLimits;
  let unreadable = 0;
  const read = async <Part>(key: string, schema: z.ZodType<Part>, max: number): Promise<Part[]> => {
    const list: unknown = Object(body)[key];
    const parts: Part[] = [];
    for (const item of Array.isArray(list) ? list.slice(0, max) : []) {
      await pace();
      const parsed = schema.safeParse(item);
      if (parsed.success) parts.push(parsed.data);
      else unreadable += 1;
    }
    return parts;
  };
  const triggers = await read("triggers", workflowTriggerSchema, triggersMax);
  const nodes = await read("nodes", workflowNodeSchema, nodesMax);
  const edges = await read("edges", workflowEdgeSchema, edgesMax);
  const settings = workflowSettingsSchema.safeParse(Object(body).settings ?? {});
  return {
    triggers,
    nodes,
    edges,
    unreadable,
    settings: settings.success ? settings.data : workflowSettingsSchema.parse({}),
  };
}
