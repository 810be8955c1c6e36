import { toJsonText } from "@hub/connector";
import { workflowBodyLimits } from "@hub/contract/workflow-body-limits.ts";
import type { ProblemList } from "../problem-list.ts";

const { bytesMax, depthMax, valuesMax } = workflowBodyLimits;

/**
 * Checks the size and the nesting of a body before anything else reads it, so that all later steps
 * may visit each value. Returns whether the body may be read.
 */
export function checkSize(problems: ProblemList, input: unknown): boolean {
  const excess = findExcess(input);
  if (excess === null && Buffer.byteLength(toJsonText(input)) <= bytesMax) return true;
  const message = {
    depth: `Lists and objects are nested deeper than ${depthMax}.`,
    values: `The body has more than ${valuesMax} values.`,
    bytes: "The body is larger than 1 MiB.",
  }[excess ?? "bytes"];
  problems.error([], message, "Split the workflow, or keep large data outside of it.");
  return false;
}

function findExcess(input: unknown): "depth" | "values" | "bytes" | null {
  const open: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }];
  let values = 0;
  let chars = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    values += 1;
    if (typeof value === "string") chars += value.length;
    if (chars > bytesMax) return "bytes";
    if (values > valuesMax) return "values";
    if (typeof value !== "object" || value === null) continue;
    if (depth === depthMax) return "depth";
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) chars += key.length;
      open.push({ value: member, depth: depth + 1 });
    }
  }
  return null;
}
