import { z } from "zod";
import * as widgets from "../../../services/rows/widgets/use-widget.ts";
import { defineEndpoint } from "../endpoint.ts";
import { toTestContext } from "./check-tested.ts";
import { byRow, byRowAndOperation } from "./path-params.ts";

/** Each element is opened, masked and sent, so a higher number would delay other callers. */
const elementsMax = 1_000;

/** A click on an element of a widget. */
const clickShape = {
  op: z.string().optional().meta({ description: "The clicked element's `data-op`." }),
  arg: z.string().optional().meta({ description: "The clicked element's `data-arg`." }),
  input: z
    .record(z.string(), z.string())
    .refine((elements) => Object.keys(elements).length <= elementsMax, {
      error: `A widget sends at most ${elementsMax} named elements.`,
    })
    .optional()
    .meta({
      description: `Values of at most ${elementsMax} named elements by name; an unchecked box is absent.`,
    }),
};

const markupShape = {
  html: z.string(),
  html_cut: z.boolean().optional().meta({
    description:
      "True if the markup was larger than a result may be (`HUB_RESULT_BYTES_MAX`), so that its end is missing.",
  }),
  result: z.unknown().optional().meta({
    description: "The answer of the clicked operation without its `html`, sealed like any result.",
  }),
  run_id: z.string().optional().meta({ description: "The call of the clicked operation." }),
};

function toClick({ op, arg, input }: z.infer<z.ZodObject<typeof clickShape>>) {
  return {
    ...(op !== undefined && { op }),
    ...(arg !== undefined && { arg }),
    ...(input !== undefined && { inputs: input }),
  };
}

export const useRowWidget = defineEndpoint({
  name: "useRowWidget",
  asksOutside: true,
  summary: "Render an html widget, or click in it",
  description:
    'Without `op` it renders the field. `op: "__select"` stores `arg` as the field\'s value. Any other `op` calls that operation with `arg` and the named elements as `input`; the `html` of its answer is shown, or the field is rendered again. Values in the `fields` of that answer are saved in the row, except those of locked and `url` fields. Rendering saves nothing. Only admins change the row: of others, nothing is saved and `__select` is refused.',
  params: byRow.extend({ field: z.string() }),
  body: z.strictObject({
    ...clickShape,
    version: z.int().optional().meta({
      description:
        "The row's version as it was read. If the row has changed since, nothing is done.",
    }),
  }),
  answer: z.object({
    ...markupShape,
    saved: z
      .array(z.string())
      .optional()
      .meta({ description: "After a click: the fields whose values were saved." }),
    not_saved: z
      .array(z.object({ field: z.string(), reason: z.string() }))
      .optional()
      .meta({ description: "After a click: fields of the answer that it may not change." }),
  }),
  failures: [
    "not_found",
    "connector_disabled",
    "operation_disabled",
    "bad_request",
    "conflict",
    "upstream_error",
    "timeout",
    "plugin_unavailable",
  ],
  handle(call) {
    const { version, ...click } = call.body;
    const { services, actor, params } = call;
    return widgets.useWidget(services, toTestContext(call), actor, params.row, {
      field: params.field,
      ...toClick(click),
      ...(version !== undefined && { version }),
    });
  },
});

export const useInputWidget = defineEndpoint({
  name: "useInputWidget",
  asksOutside: true,
  summary: "Render an html widget of an operation's input, or click in it",
  description:
    'Without `op` it renders the input. Any other `op` calls that operation with `arg` and the named elements as `input`; the `html` of its answer is shown, or the input is rendered again. Nothing is saved: the form has the value, and `op: "__select"` is a choice in the form, which is refused here.',
  params: byRowAndOperation.extend({
    input: z.string().meta({ description: "Key of the input." }),
  }),
  body: z.strictObject({
    ...clickShape,
    value: z.string().optional().meta({ description: "What the form has for the input now." }),
  }),
  answer: z.object(markupShape),
  failures: [
    "not_found",
    "connector_disabled",
    "operation_disabled",
    "bad_request",
    "upstream_error",
    "timeout",
    "plugin_unavailable",
  ],
  handle(call) {
    const { value, ...click } = call.body;
    const { operation, input, row } = call.params;
    return widgets.useInputWidget(call.services, toTestContext(call), row, {
      operation,
      input,
      ...toClick(click),
      ...(value !== undefined && { value }),
    });
  },
});
