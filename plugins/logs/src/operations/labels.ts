import { requestLabels } from "../request-labels.ts";
import { readWindow, showWindow } from "../time/window.ts";
import { defineOperation, labelHours, labelWindowInput } from "./inputs.ts";
import { takeNames } from "./take-names.ts";

/** Label names of a time window. */
export const labels = defineOperation({
  name: "List labels",
  description: `List the label names that log lines of a time window have.

Use it before query, to find the labels for a stream selector; label_values lists the values of one label. Returns count, labels and the window searched.`,
  reads: true,
  input: labelWindowInput,
  examples: [{ params: {} }, { description: "Over a week", params: { start: "now-7d" } }],
  async run(ctx) {
    const window = readWindow(ctx.params, { defaultHours: labelHours });
    const names = await requestLabels(ctx, window);
    const { shown, cut } = takeNames(names);
    return {
      count: names.length,
      labels: shown,
      window: showWindow(window),
      ...cut,
      ...(names.length === 0 && {
        hint: "There are no log lines in this window. Widen it with start, such as now-7d.",
      }),
    };
  },
});
