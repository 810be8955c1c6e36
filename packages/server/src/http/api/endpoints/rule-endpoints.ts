import {
  callRuleChangeSchema,
  callRuleSchema,
  rowRulesSchema,
  ruleExplanationSchema,
} from "@hub/contract/call-rule.ts";
import { z } from "zod";
import { explainRun } from "../../../services/rules/explain-run.ts";
import * as rules from "../../../services/rules/manage-rules.ts";
import { defineEndpoint } from "../endpoint.ts";
import { nextSchema, pageQuery } from "./page-query.ts";
import { byRow } from "./path-params.ts";

const byRule = byRow.extend({ rule: z.uuid().meta({ description: "Id of a rule of the row." }) });

export const listRules = defineEndpoint({
  name: "listRules",
  summary: "List all rules that ask before acting",
  description: "In no order.",
  query: pageQuery,
  answer: z.object({ rules: z.array(callRuleSchema), next: nextSchema }),
  async handle({ services, query }) {
    const { items, next } = await rules.listCallRules(services, query);
    return { rules: items, next };
  },
});

export const listRowRules = defineEndpoint({
  name: "listRowRules",
  summary: "List the rules of a row",
  description: "That of the whole row first, then those of its operations by key.",
  params: byRow,
  answer: rowRulesSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => rules.listRulesOfRow(services, params.row),
});

export const setRowRule = defineEndpoint({
  name: "setRowRule",
  summary: "Set the rule of a row, or of one of its operations",
  description:
    "It takes the place of the present one, and holds from the next call on. Questions that wait are asked anew.",
  params: byRow,
  body: callRuleChangeSchema,
  answer: callRuleSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) => rules.setRule(services, actor, params.row, body),
});

export const deleteRowRule = defineEndpoint({
  name: "deleteRowRule",
  summary: "Remove a rule of a row",
  params: byRule,
  query: z.strictObject({
    revision: z.coerce.number().int().min(1).optional().meta({
      description: "Of the rule that was read. If it has changed since: 409 `conflict`.",
    }),
  }),
  answer: z.object({
    id: z.uuid(),
    operation: z.string().nullable().meta({ description: "Null: the rule of the whole row." }),
  }),
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, query }) =>
    rules.deleteRule(services, actor, params.row, { ...params, ...query }),
});

export const explainRunRules = defineEndpoint({
  name: "explainRunRules",
  summary: "Explain which rule asked about a recorded call",
  description:
    "With what today's rules say about an equal call, and which condition of each of them fits.",
  params: z.object({ run: z.uuid().meta({ description: "Id of a recorded call." }) }),
  answer: ruleExplanationSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => explainRun(services, params.run),
});
