import { list, member, type Rule, read, replace } from "./rule.ts";

/** Negates conditions: `if (a)` becomes `if (!(a))`, also for `?:` and `while`. */
export const negateCondition: Rule = (node, _, text) => {
  const isTest = ["IfStatement", "ConditionalExpression", "WhileStatement"].includes(node.type);
  const test = member(node, "test");
  return isTest && test ? [replace(test, "condition negated", `!(${read(test, text)})`)] : [];
};

/** Removes `if (a) return b;` and checks of one statement. */
export const dropGuard: Rule = (node) => {
  if (node.type !== "IfStatement" || member(node, "alternate")) return [];
  const body = member(node, "consequent");
  const statements = body?.type === "BlockStatement" ? list(body, "body") : body ? [body] : [];
  const isEarlyExit = ["ReturnStatement", "ThrowStatement", "ContinueStatement"].includes(
    statements.at(-1)?.type ?? "",
  );
  return [replace(node, isEarlyExit ? "early exit dropped" : "conditional step dropped", "")];
};

/** Removes one side of `&&`, `||` and `??`. */
export const dropSide: Rule = (node, _, text) => {
  const [left, right] = [member(node, "left"), member(node, "right")];
  if (node.type !== "LogicalExpression" || !left || !right) return [];
  const sides = [left, right].map((side) =>
    replace(node, "condition dropped", `(${read(side, text)})`),
  );
  return node.operator === "??" ? sides.slice(1) : sides;
};

const nextOperators: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

/** Shifts a bound by one. */
export const shiftBound: Rule = (node, _, text) => {
  const after = nextOperators[String(node.operator)];
  const [left, right] = [member(node, "left"), member(node, "right")];
  if (node.type !== "BinaryExpression" || after === undefined || !left || !right) return [];
  return [replace(node, "bound shifted", `${read(left, text)} ${after} ${read(right, text)}`)];
};

/** Multiplies a limit by 1,000. Small limits and sizes are also shifted by one. */
export const changeLimit: Rule = (node, parents, text) => {
  if (node.type !== "Literal" || typeof node.value !== "number" || node.value < 2) return [];
  const before = read(node, text);
  // A product is one limit, so only one of its factors is changed.
  const parent = parents.at(-1);
  if (parent?.type === "BinaryExpression" && member(parent, "right") === node) return [];
  const larger = replace(node, "limit × 1000", `${before} * 1000`);
  const isDuration = /ms\w*\s*[:=][^:=]*$/i.test(
    text.slice(Math.max(0, node.start - 60), node.start),
  );
  return isDuration ? [larger] : [larger, replace(node, "limit + 1", `(${before} + 1)`)];
};
