import {
  type CallRule,
  type CallRuleInput,
  describeCallRule,
  type RuleExplanation,
} from "@hub/contract/call-rule.ts";
import { HubError } from "@hub/server/errors.ts";
import { command, group, list } from "../declare/command.ts";
import {
  argument,
  choice,
  findUserId,
  flag,
  option,
  repeated,
  type Values,
  wholeNumber,
} from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";
import { rowArgument } from "../rows/row-argument.ts";

const loadRules = () => import("@hub/server/services/rules/manage-rules.ts");

const operationArgument = argument("[operation]", "key of an operation; the whole row without it");

const settings = {
  asks: choice("<calls>", "which calls are asked about", ["always", "destructive", "never"]),
  free: wholeNumber("<number>", "so many calls of a user in an hour of the clock are free"),
  exceptUser: repeated("<email>", "do not ask about calls of this user; may be repeated"),
  exceptTag: repeated("<tag>", "nor about those of users with this tag; may be repeated"),
  decidedBy: repeated("<tag>", "other users with this tag decide, not the caller; may be repeated"),
  confirm: choice("<place>", "where it may be confirmed", ["page", "client"]),
  hour: flag("an approver may permit the operation for an hour"),
  fixed: repeated("<param>", "a param that stays as approved in that hour; may be repeated"),
  hourDestructive: flag("permit destructive operations for an hour, too"),
  runsOnApproval: flag("an approved call runs by itself"),
  name: option("<text>", "the name that callers and approvers see"),
  sentence: option("<text>", "why it is asked, for callers and approvers"),
};

export const define = group(
  {
    about:
      "A rule asks a person before an operation runs. The rule of an operation takes the place of that of its row.",
    examples: [
      'rule set "Issue tracker" --asks destructive --decided-by leads',
      'rule set "Issue tracker" search --asks never',
      'rule delete "Issue tracker"',
    ],
  },
  [
    list("list", "list the rules of all rows", {
      reads: async ({ services }, _, page) => (await loadRules()).listCallRules(services, page),
      shows: toRuleTable,
    }),
    command("show", "show the rules of a row and of its operations", {
      takes: { row: rowArgument },
      does: async ({ services }, { row }) =>
        (await (await loadRules()).listRulesOfRow(services, row)).rules,
      shows: toRuleTable,
    }),
    command("set", "set the rule of a row or an operation, from the next call on", {
      takes: { row: rowArgument, operation: operationArgument, ...settings },
      async does({ services, actor, lookups }, { row, operation, ...values }) {
        const input = await toInput(lookups, { ...values, operation });
        return await (await loadRules()).setRule(services, actor, row, input);
      },
      shows: (rule) => `${toSubject(rule)}: ${describeCallRule(rule)}`,
      note: ({ warnings }) => (warnings.length === 0 ? null : warnings.join("\n")),
    }),
    command("delete", "remove the rule of a row or an operation", {
      takes: { row: rowArgument, operation: operationArgument },
      async does({ services, actor }, { row, operation = null }) {
        const { deleteRule, listRulesOfRow } = await loadRules();
        const { rules } = await listRulesOfRow(services, row);
        const found = rules.find((rule) => rule.operation === operation);
        if (found === undefined) {
          const of = operation === null ? "The row" : `The operation ${operation}`;
          throw new HubError("not_found", `${of} has no rule. See \`hub rule show\`.`);
        }
        return await deleteRule(services, actor, row, { rule: found.id });
      },
      shows: ({ operation }) =>
        operation === null
          ? "The rule of the row is removed."
          : `The rule of ${operation} is removed.`,
    }),
    command("explain", "say which rule asked about a recorded call, and what today's rules say", {
      takes: { run: argument("<run>", "id of a recorded call") },
      async does({ services }, { run }) {
        const { explainRun } = await import("@hub/server/services/rules/explain-run.ts");
        return await explainRun(services, run);
      },
      shows: toExplanationText,
    }),
  ],
);

type Typed = Values<typeof settings> & { operation?: string | undefined };

async function toInput(lookups: Lookups, typed: Typed): Promise<CallRuleInput> {
  const { asks, free, exceptUser = [], exceptTag = [], decidedBy = [], fixed = [] } = typed;
  if (asks === undefined) {
    throw new HubError(
      "bad_request",
      "Say which calls are asked about: --asks always, destructive or never.",
    );
  }
  return {
    operation: typed.operation ?? null,
    asks,
    free_per_hour: free ?? null,
    except_users: await Promise.all(exceptUser.map((email) => findUserId(lookups, email))),
    except_tags: exceptTag,
    decide: decidedBy.length === 0 ? { by: "caller" } : { by: "tags", tags: decidedBy },
    ...(typed.confirm !== undefined && { confirm: typed.confirm }),
    hour: {
      allowed: typed.hour ?? false,
      fixed,
      destructive: typed.hourDestructive ?? false,
    },
    runs_on_approval: typed.runsOnApproval ?? false,
    ...(typed.name !== undefined && { name: typed.name }),
    ...(typed.sentence !== undefined && { sentence: typed.sentence }),
  };
}

function toRuleTable(rules: readonly CallRule[]): string {
  return table<CallRule>(
    [
      ["row", "row_label"],
      ["operation", ({ operation }) => operation ?? "all"],
      ["rule", describeCallRule],
      ["warnings", ({ warnings }) => warnings.join(" ")],
    ],
    "There are no rules. Calls run without a question.",
  )(rules);
}

function toSubject({ row_label: row, operation }: CallRule): string {
  return operation === null ? `"${row}"` : `${operation} of "${row}"`;
}

function toExplanationText({ operation, row_label: row, asked, today }: RuleExplanation): string {
  const call = row === null ? operation : `${operation} of "${row}"`;
  const was =
    asked === null
      ? `${call}: no rule asked about this call.`
      : `${call}: asked by ${asked.name === null ? "a rule that was deleted" : `"${asked.name}"`}${asked.is_current ? "" : ", which has changed since"}; the question is ${asked.state}.`;
  const now = table<RuleExplanation["today"][number]>(
    [["rule", "name"], ["of", "scope"], ["today", "outcome"], "because"],
    "Today no rule names it.",
  )(today);
  return `${was}\n\n${now}`;
}
