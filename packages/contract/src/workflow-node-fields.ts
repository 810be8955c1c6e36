import { z } from "zod";
import { workflowNameSchema } from "./workflow-names.ts";

/** Any JSON value. Its texts may be templates; names of members are never templates. */
export const templatedJson = z
  .unknown()
  .refine((value) => value !== undefined, { error: "is required." });

/** A text with templates in it. */
export const templatedText = z.string();

/** A template whose rendered value is a number. */
export const numberTemplate = z
  .string()
  .includes("{{", { error: "must be a number or a template." });

/** The fields of every node. */
export const commonFields = {
  id: workflowNameSchema.meta({
    description: "The name of the node. Templates read its output as `.Node.<id>`.",
  }),
  label: z.string().max(200).optional().meta({ description: "The name for people." }),
  disabled: z.boolean().default(false).meta({
    description:
      "`true` switches the node off: it runs nothing, and its output is the output of the node before it. Not for `branch`, `switch` and `approval`.",
  }),
  timeout_s: z.int().min(1).max(3600).optional().meta({
    description: "The time limit of each try, in seconds. The default is that of the node's type.",
  }),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(10).meta({
        description: "How often the node is tried at most, the first try included.",
      }),
      backoff_s: z.number().min(0).max(3600).default(1).meta({
        description:
          "The pause before the second try, in seconds. It doubles before each further try, up to 3,600.",
      }),
    })
    .optional()
    .meta({
      description: "Tries again after failures that can pass by themselves, never after refusals.",
    }),
  on_error: z.enum(["fail", "continue", "route"]).default("fail").meta({
    description:
      "`fail` fails the run, `continue` goes on with `{error, code}` as output, `route` goes on along the edge with the case `error` only.",
  }),
};

/** The fields of a node that can run once for each item of a list. */
export const forEachFields = {
  for_each: z.string().optional().meta({
    description:
      "A template that gives a list of at most 10,000. The node then runs once for each item, as `.Item` and `.Index`, and its output is the list of outputs.",
  }),
  items_at_once: z.int().min(1).max(32).default(1).meta({
    description: "How many items of `for_each` run at the same time.",
  }),
};

/** The field of a node whose effects a second run may repeat. */
export const repeatField = {
  repeat: z.boolean().default(false).meta({
    description:
      "Runs the node again after a failure that may have had effects, such as a timeout. Otherwise the run then waits for a person.",
  }),
};
