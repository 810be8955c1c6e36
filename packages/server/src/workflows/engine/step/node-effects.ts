import type { WorkflowNode } from "@hub/contract/workflow-node.ts";

/** What a step does outside of its run. */
export type NodeEffects = {
  /** Whether it changes or sends something. A dry run only records such a step. */
  changes: boolean;
  /** What a second try of the step does. */
  repeats: StepEffects;
};

/**
 * What a step does outside the hub: nothing that stays, something that may happen twice, or something
 * that may happen only once.
 */
export type StepEffects = "none" | "repeatable" | "once";

/** What is known of the operation that a node calls. */
export type OperationFacts = { destructive: boolean; idempotent?: boolean | undefined };

const none: NodeEffects = { changes: false, repeats: "none" };

/**
 * The only function that decides whether a node has side effects: for dry runs, for the rule about
 * repeated steps, and for descriptions of what a workflow would do. `operation` is what the node calls;
 * an unknown one counts as destructive.
 */
export function findEffects(
  node: WorkflowNode,
  operation: OperationFacts | null = null,
): NodeEffects {
  // It runs nothing.
  if (node.disabled) return none;
  switch (node.type) {
    case "operation":
      return findCallEffects(node, operation);
    case "channel":
      // Every action of a channel is seen by people or changes what they see.
      return { ...findCallEffects(node, operation), changes: true };
    case "http":
      return isRead(node.method) ? none : { changes: true, repeats: toRepeats(node) };
    case "workflow":
    case "webhook_respond":
      // What they start or answer is stored in the commit of the step, so it happens once.
      return { changes: true, repeats: "none" };
    case "branch":
    case "switch":
    case "set":
    case "code":
    case "wait":
    case "approval":
    case "fail":
      return none;
  }
}

/** Whether the method has no effects at the server. */
export function isRead(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

type Repeat = { repeat: boolean };

function findCallEffects(node: Repeat, operation: OperationFacts | null): NodeEffects {
  if (operation !== null && !operation.destructive) return none;
  const repeats = operation?.idempotent ? "repeatable" : toRepeats(node);
  return { changes: true, repeats };
}

function toRepeats({ repeat }: Repeat): StepEffects {
  return repeat ? "repeatable" : "once";
}
