import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Badge } from "../../ui/badges/badge.tsx";

const names = { dry: "Dry run", node: "One node" } as const;

/** Says that a run was a dry run, or of one node. Nothing for a usual run. */
export function RunModeBadge({ mode }: Pick<WorkflowRun, "mode">) {
  return mode === "live" ? null : <Badge tone="info">{names[mode]}</Badge>;
}
