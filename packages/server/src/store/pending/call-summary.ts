import type { Json } from "@hub/connector";
import { listScalars } from "../../lib/json/list-scalars.ts";
import type { ShownCall } from "./pending-call-record.ts";

/** A value that decides. */
export type CallValue = { label: string; value: string; is_cut: boolean };

/** What lists show of a call, whose params can have 1 MiB. */
export type CallSummary = Pick<
  ShownCall,
  "rowLabel" | "connectorKey" | "connectorName" | "operationName" | "isDestructive"
> & { ruleName: string | null; values: CallValue[] };

const valuesMax = 5;
const labelCharsMax = 200;
const listedCharsMax = 200;

export function toCallSummary(shown: ShownCall): CallSummary {
  const { rowLabel, connectorKey, connectorName, operationName, isDestructive } = shown;
  const { rule, params } = shown;
  return {
    rowLabel,
    connectorKey,
    connectorName,
    operationName,
    isDestructive,
    ruleName: rule?.name ?? null,
    values: listDecidingValues(params, listedCharsMax),
  };
}

/** The first five texts, numbers and booleans of what is shown of the params. */
export function listDecidingValues(params: unknown, charsMax: number): CallValue[] {
  const values: CallValue[] = [];
  // Safe: the params are JSON.
  for (const { label, value } of listScalars(params as Json)) {
    if (value === null || value === "") continue;
    const text = String(value);
    const cut = cutText(text, charsMax);
    values.push({ label: cutText(label, labelCharsMax), value: cut, is_cut: cut !== text });
    if (values.length === valuesMax) break;
  }
  return values;
}

/** No half of a surrogate pair is left at the end. */
function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\uD800-\uDBFF]$/, "");
}
