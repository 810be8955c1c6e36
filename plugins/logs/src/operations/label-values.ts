import { findNearest, wick } from "@hub/connector";
import type { HostContext } from "../logs-config-fields.ts";
import { requestLabels, requestLabelValues } from "../request-labels.ts";
import { readWindow, showWindow, type Window } from "../time/window.ts";
import { defineOperation, labelHours, labelWindowInput } from "./inputs.ts";
import { takeNames } from "./take-names.ts";

/** Values of one label in a time window. */
export const labelValues = defineOperation({
  name: "List label values",
  description: `List the values that one label has in a time window.

Use it to write a stream selector for query, such as {app="api"}; labels lists the label names. Returns label, count, values and the window searched.`,
  reads: true,
  input: {
    label: wick("required;desc=Name of the label, such as app"),
    ...labelWindowInput,
  },
  examples: [
    { params: { label: "app" } },
    { description: "Over a week", params: { label: "app", start: "now-7d" } },
  ],
  async run(ctx) {
    const { label } = ctx.params;
    const window = readWindow(ctx.params, { defaultHours: labelHours });
    const values = await requestLabelValues(ctx, label, window);
    const { shown, cut } = takeNames(values);
    return {
      label,
      count: values.length,
      values: shown,
      window: showWindow(window),
      ...cut,
      ...(values.length === 0 && { hint: await findHint(ctx, label, window) }),
    };
  },
});

const hintTimeoutMs = 10_000;

/** Never throws, because the empty result is valid without a hint. */
async function findHint(ctx: HostContext, label: string, window: Window): Promise<string> {
  const general = "The label has no values in this window. Widen it with start, such as now-7d.";
  try {
    const names = await requestLabels(ctx, window, AbortSignal.timeout(hintTimeoutMs));
    if (names.length === 0 || names.includes(label)) return general;
    const nearest = findNearest(label, names);
    const advice = nearest === null ? "labels lists the labels." : `Did you mean ${nearest}?`;
    return `There is no label ${label} in this window. ${advice}`;
  } catch {
    // The hint omits details that need the log store.
    return general;
  }
}
