import { z } from "zod";
import { timeSchema } from "./time.ts";

/** The most exceptions, deciding tags and fixed params of one rule. */
export const ruleUsersMax = 100;
const ruleTagsMax = 20;
const ruleFixedMax = 50;
/** The most free calls in an hour. */
export const ruleFreeMax = 1000;
const ruleNameCharsMax = 100;
/** The longest sentence of a rule. */
export const ruleSentenceCharsMax = 300;

/** Which calls a rule asks about. */
export const ruleAsksSchema = z.enum(["always", "destructive", "never"]).meta({
  description:
    "`always` asks about every call, `destructive` about those of operations that are described as destructive. `never` is for an operation only: its calls are free of the row's rule.",
});

/** Who decides about a call. */
export const ruleDecideSchema = z
  .discriminatedUnion("by", [
    z.strictObject({ by: z.literal("caller") }),
    z.strictObject({
      by: z.literal("tags"),
      tags: z.array(z.string()).min(1).max(ruleTagsMax),
    }),
  ])
  .meta({
    id: "CallRuleDecide",
    description:
      "`caller`: the user whose client calls, in a signed-in browser. `tags`: other active users with one of these tags.",
  });
export type RuleDecide = z.infer<typeof ruleDecideSchema>;

/** Whether an approver may permit further calls for an hour. */
export const ruleHourSchema = z
  .strictObject({
    allowed: z.boolean().default(false).meta({
      description:
        "Whether an approver may permit the operation for an hour: for the same principal and account.",
    }),
    fixed: z.array(z.string().max(200)).max(ruleFixedMax).default([]).meta({
      description: "Names of params that must stay as they were approved.",
    }),
    destructive: z.boolean().default(false).meta({
      description: "Whether that holds for operations that are described as destructive, too.",
    }),
  })
  .meta({ id: "CallRuleHour" });
export type RuleHour = z.infer<typeof ruleHourSchema>;

/** Where a call may be confirmed. */
const ruleConfirmSchema = z.enum(["page", "client"]).meta({
  description:
    "`page`: on the page of the call only. `client`: the answer of the client's user to a form is enough, too. Only with `decide` by the caller, and not for destructive operations of rows that lead outside.",
});

/** A switch as an admin sets it. */
export const callRuleInputSchema = z.strictObject({
  operation: z.string().max(300).nullable().default(null).meta({
    description:
      "Key of the operation. Null: all operations of the row without a rule of their own.",
  }),
  name: z.string().max(ruleNameCharsMax).default("Ask before acting").meta({
    description: "Shown to callers and approvers.",
  }),
  asks: ruleAsksSchema,
  free_per_hour: z.int().min(1).max(ruleFreeMax).nullable().default(null).meta({
    description:
      "So many of these calls a user may make in each hour of the clock (UTC) without a question.",
  }),
  except_users: z.array(z.string().max(100)).max(ruleUsersMax).default([]).meta({
    description: "Ids of users whose calls are not asked about.",
  }),
  except_tags: z.array(z.string()).max(ruleTagsMax).default([]).meta({
    description: "Calls of users with one of these tags are not asked about.",
  }),
  decide: ruleDecideSchema.default({ by: "caller" }),
  confirm: ruleConfirmSchema.default("page"),
  hour: ruleHourSchema.default({ allowed: false, fixed: [], destructive: false }),
  runs_on_approval: z.boolean().default(false).meta({
    description:
      "Whether an approved call runs by itself, as its caller, with the checks of that moment. If not, the client calls again.",
  }),
  sentence: z.string().max(ruleSentenceCharsMax).default("").meta({
    description: "Why this is asked, in a sentence for callers and approvers.",
  }),
});
export type CallRuleInput = z.input<typeof callRuleInputSchema>;

/** A rule as a page sets it, in the place of the one that it has read. */
export const callRuleChangeSchema = callRuleInputSchema.extend({
  rule_id: z.string().max(100).nullable().optional().meta({
    description:
      "Id of the rule that was read; null if there was none. If another one holds by now, such as one that was made after a removal: 409 `conflict`.",
  }),
  revision: z.int().min(0).optional().meta({
    description:
      "Of the rule that was read; 0 if there was none. If another one holds by now: 409 `conflict`. Without it, the present rule is replaced, whichever it is.",
  }),
});
export type CallRuleChange = z.input<typeof callRuleChangeSchema>;

/** A stored rule. */
export const callRuleSchema = callRuleInputSchema
  .omit({ except_users: true })
  .extend({
    id: z.string(),
    row_id: z.uuid(),
    row_label: z.string(),
    connector: z.string(),
    except_users: z
      .array(z.object({ id: z.string(), email: z.string().nullable() }))
      .meta({ description: "Users whose calls are not asked about. No e-mail: deleted." }),
    revision: z.int().meta({
      description: "Increases with every change. A question of an older revision is asked anew.",
    }),
    changed_by: z.string().nullable().meta({
      description: "The e-mail of who changed it last; `local-admin` for the command line.",
    }),
    changed_at: timeSchema,
    warnings: z.array(z.string()).meta({
      description: "What keeps questions from being decided, in sentences for admins.",
    }),
  })
  .meta({ id: "CallRule" });
export type CallRule = z.infer<typeof callRuleSchema>;

/** The rules of a row. */
export const rowRulesSchema = z.object({ row_id: z.uuid(), rules: z.array(callRuleSchema) });
export type RowRules = z.infer<typeof rowRulesSchema>;

/** What the rules say about one recorded call. */
export const ruleExplanationSchema = z
  .object({
    run_id: z.string(),
    user: z.string().nullable().meta({ description: "The e-mail of the caller." }),
    row_label: z.string().nullable(),
    operation: z.string(),
    asked: z
      .object({
        pending_id: z.string(),
        state: z.string(),
        rule_id: z.string().nullable(),
        rule_revision: z.int().nullable(),
        name: z.string().nullable().meta({ description: "Null if the rule was deleted." }),
        is_current: z.boolean().meta({ description: "Whether the rule is the same today." }),
      })
      .nullable()
      .meta({ description: "The question that this call ended in or began with." }),
    today: z.array(
      z.object({
        rule_id: z.string(),
        name: z.string(),
        scope: z.enum(["operation", "row"]),
        outcome: z.enum(["asks", "allows", "refuses", "does not fit", "is not tried"]),
        because: z.string(),
      }),
    ),
  })
  .meta({ id: "RuleExplanation" });
export type RuleExplanation = z.infer<typeof ruleExplanationSchema>;

type Described = Pick<
  CallRule,
  "asks" | "free_per_hour" | "except_users" | "except_tags" | "decide"
>;

/** A rule in one sentence, for lists. */
export function describeCallRule(rule: Described): string {
  if (rule.asks === "never") return "Never asks.";
  const what = rule.asks === "always" ? "every call" : "destructive calls";
  const free = rule.free_per_hour === null ? "" : `, after ${rule.free_per_hour} free in an hour`;
  const spared = rule.except_users.length + rule.except_tags.length;
  const names = [
    ...rule.except_users.map(({ email, id }) => email ?? id),
    ...rule.except_tags.map((tag) => `the tag ${tag}`),
  ];
  const except = spared === 0 ? "" : `, except of ${names.slice(0, 3).join(", ")}`;
  const more = spared > 3 ? ` and ${spared - 3} more` : "";
  return `Asks ${describeDecide(rule.decide)} about ${what}${free}${except}${more}.`;
}

function describeDecide(decide: RuleDecide): string {
  if (decide.by === "caller") return "the caller";
  return `users with the tag ${decide.tags.join(" or ")}`;
}
