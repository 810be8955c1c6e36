import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import type { WorkflowShownValue, WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { ExactNumber } from "../../api/exact-json.ts";

type Asked = {
  values: readonly WorkflowShownValue[];
  /** Not in lists. */
  will_run?: readonly WorkflowWillRun[];
};

const foundMax = 5;
const valueCharsMax = 4096;

/**
 * The values that decide. An approval of an older version has none: the first five of what the first node gets take
 * their place, if they are known.
 */
export function readDecidingValues({
  values,
  will_run: nodes,
}: Asked): readonly WorkflowShownValue[] {
  if (values.length > 0) return values;
  const node = nodes?.[0];
  if (node?.is_rendered !== true) return [];
  const fields = node.items === null ? node.fields : node.items.shown[0];
  const { params = fields } = Object(fields) as { params?: unknown };
  const found: WorkflowShownValue[] = [];
  collectScalars(params, "", found);
  return found;
}

function collectScalars(value: unknown, path: string, found: WorkflowShownValue[]): void {
  if (found.length >= foundMax || value === null || value === undefined || value === "") return;
  if (typeof value !== "object" || value instanceof ExactNumber) {
    const text = String(value);
    const shown = escapeInvisible(text.slice(0, valueCharsMax));
    found.push({ label: path || "value", value: shown, is_cut: text.length > valueCharsMax });
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    collectScalars(
      inner,
      path === "" ? escapeInvisible(name) : `${path}.${escapeInvisible(name)}`,
      found,
    );
  }
}
