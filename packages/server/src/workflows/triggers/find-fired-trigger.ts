import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import type { Plan } from "../engine/plan.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";

/** A published trigger with what its run needs. */
export type FiredTrigger<Type extends WorkflowTrigger["type"]> = {
  workflow: KnownWorkflow;
  plan: Plan;
  version: number;
  trigger: Extract<WorkflowTrigger, { type: Type }>;
};

type FindDeps = {
  directory: { find(id: string): Promise<KnownWorkflow | null> };
  plans: { load(bodyId: string): Promise<Plan> };
};

/** A trigger of an enabled workflow's published body; null if it does not exist any more. */
export async function findFiredTrigger<Type extends WorkflowTrigger["type"]>(
  { directory, plans }: FindDeps,
  type: Type,
  { workflowId, triggerId }: { workflowId: string; triggerId: string },
): Promise<FiredTrigger<Type> | null> {
  const workflow = await directory.find(workflowId);
  if (workflow === null || !workflow.enabled || workflow.publishedBodyId === null) return null;
  const plan = await plans.load(workflow.publishedBodyId);
  const isMeant = (trigger: WorkflowTrigger): trigger is Extract<WorkflowTrigger, { type: Type }> =>
    trigger.id === triggerId && trigger.type === type;
  const trigger = plan.body.triggers.find(isMeant);
  return trigger === undefined ? null : { workflow, plan, version: workflow.version, trigger };
}
