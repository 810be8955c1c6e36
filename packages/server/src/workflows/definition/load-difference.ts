import type { WorkflowDifference } from "@hub/contract/workflow-difference.ts";

/** What differs between two bodies. Loaded on first use, since a hub without workflows compares none. */
export async function loadDifference(before: unknown, after: unknown): Promise<WorkflowDifference> {
  const { diffBodies } = await import("../difference/diff-bodies.ts");
  return await diffBodies(before, after);
}
