import type { ConditionOperator } from "./workflow-condition.ts";

/** What each operator of a condition means, as a verb between two values: `left equals right`. */
export const operatorWords: Readonly<Record<ConditionOperator, string>> = {
  eq: "equals",
  ne: "does not equal",
  lt: "is less than",
  le: "is at most",
  gt: "is greater than",
  ge: "is at least",
  contains: "contains",
  starts_with: "starts with",
  ends_with: "ends with",
  matches: "matches the pattern",
  in: "is one of",
  is_empty: "is empty",
  is_not_empty: "is not empty",
  is_true: "is true",
};

/** The operators without a second value: a condition with one of them has no `right`. */
export const unaryOperators: ReadonlySet<string> = new Set<ConditionOperator>([
  "is_empty",
  "is_not_empty",
  "is_true",
]);
