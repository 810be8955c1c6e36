import type { Json } from "@hub/connector";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { triggerTypeTexts } from "./trigger-type-texts.ts";

/** An `.Event` as a run of a trigger of this type has it, with invented values. */
export function createSampleEvent(type: WorkflowTrigger["type"], now: number): Json {
  // Safe: the samples are plain JSON.
  const payload = triggerTypeTexts[type].payload as Json;
  return {
    Type: type,
    TriggerID: "sample",
    Payload: payload,
    Source: null,
    User: null,
    At: new Date(now).toISOString(),
    ts: now / 1000,
  };
}
