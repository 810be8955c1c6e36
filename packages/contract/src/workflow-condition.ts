import { z } from "zod";

/**
 * How a condition compares. The table in docs/reference/workflow-body.md says what each operator
 * does with numbers, texts, null, lists and objects.
 */
export const conditionOperatorSchema = z
  .enum([
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "starts_with",
    "ends_with",
    "matches",
    "in",
    "is_empty",
    "is_not_empty",
    "is_true",
  ])
  .meta({ id: "ConditionOperator" });
export type ConditionOperator = z.infer<typeof conditionOperatorSchema>;

/** The longest pattern of `matches`, in characters. */
export const conditionPatternCharsMax = 1000;

/** One comparison of two values. */
export const conditionSchema = z
  .strictObject({
    left: z
      .unknown()
      .refine((value) => value !== undefined, { error: "is required." })
      .meta({ description: "The value to compare. Usually a template." }),
    op: conditionOperatorSchema,
    right: z.unknown().optional().meta({
      description:
        "The value to compare it with. Its texts may be templates. Not with `is_empty`, `is_not_empty` and `is_true`.",
    }),
  })
  .meta({ id: "WorkflowCondition" });
export type WorkflowCondition = z.infer<typeof conditionSchema>;
