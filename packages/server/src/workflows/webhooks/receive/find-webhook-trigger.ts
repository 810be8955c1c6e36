import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { TriggerOf, WebhookMethod } from "@hub/contract/workflow-trigger.ts";

export type WebhookTrigger = TriggerOf<"webhook">;

/**
 * The webhook trigger for a request: one with this slug, else one without a path, which accepts every
 * path of its workflow. Null if there is none for the method. Without a method, any trigger of the path is found.
 */
export function findWebhookTrigger(
  { triggers }: Pick<WorkflowBody, "triggers">,
  { slug, method }: { slug: string; method: string | null },
): WebhookTrigger | null {
  const candidates = triggers.filter(
    (trigger): trigger is WebhookTrigger =>
      trigger.type === "webhook" &&
      (method === null || listMethods(trigger).some((accepted) => accepted === method)),
  );
  return (
    candidates.find(({ path }) => path === slug) ??
    candidates.find(({ path }) => path === undefined || path === "") ??
    null
  );
}

/** The methods that a trigger accepts. */
export function listMethods({ method }: WebhookTrigger): readonly WebhookMethod[] {
  return Array.isArray(method) ? method : [method];
}
