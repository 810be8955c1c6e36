import { list, member, type Node, type Rule, read, replace, toDropped } from "./rule.ts";

/** Removes a call statement, for example a check, a record or a close. */
export const dropCall: Rule = (node, _, text) => {
  if (node.type !== "ExpressionStatement") return [];
  const expression = member(node, "expression");
  const call = expression?.type === "AwaitExpression" ? member(expression, "argument") : expression;
  const callee = call && member(call, "callee");
  if (call?.type !== "CallExpression" || !callee) return [];
  const name = read(callee, text);
  // Log calls are excluded, because tests rarely check them.
  if (/\blog\.\w+$|^super$|^console\./.test(name)) return [];
  if (/(^|\.)(check|assert|need|refuse)[A-Z]?\w*$/.test(name)) {
    return [replace(node, "check dropped", "")];
  }
  const closes = /(^|\.)(close|stop|end|kill|abort|release|dispose|destroy|clear|defer|unref)/;
  const isClose = closes.test(name) || /closers\.add$/.test(name);
  return [replace(node, isClose ? "close dropped" : "step dropped", "")];
};

/** Removes `await`. */
export const dropAwait: Rule = (node, parents, text) => {
  const argument = member(node, "argument");
  const isStatement = parents.at(-1)?.type === "ExpressionStatement";
  const isTried = parents.some(({ type }) => type === "TryStatement");
  const isReturned = parents.at(-1)?.type === "ReturnStatement" && isTried;
  if (node.type !== "AwaitExpression" || !argument || !(isStatement || isReturned)) return [];
  return [replace(node, "await dropped", read(argument, text))];
};

/** Removes the last argument, or swaps two neighbours. */
export const changeArguments: Rule = (node, _, text) => {
  const given = list(node, "arguments");
  if (!["CallExpression", "NewExpression"].includes(node.type)) return [];
  const [last, previous] = [given.at(-1), given.at(-2)];
  if (!last || !previous) return [];
  const [one, other] = [read(previous, text), read(last, text)];
  const span = { start: previous.start, end: last.end };
  const changes = [{ kind: "argument dropped", ...span, after: one }];
  const isPlain = [previous, last].every(({ type }) => plainTypes.has(type));
  if (isPlain && one !== other) {
    changes.push({ kind: "arguments swapped", ...span, after: `${other}, ${one}` });
  }
  return changes;
};

const plainTypes = new Set(["Identifier", "MemberExpression", "Literal", "CallExpression"]);

/** Removes a dependency, or replaces it by a function without effect. */
export const changeWiring: Rule = (node, parents, text) => {
  if (node.type !== "ObjectExpression" || !isGivenToCall(node, parents)) return [];
  return list(node, "properties").flatMap((property) => {
    const value = member(property, "value");
    const dropped = { ...toDropped(property, text), kind: "wiring left out" };
    const body = value?.type === "ArrowFunctionExpression" ? member(value, "body") : null;
    if (!body || body.type === "BlockStatement") return [dropped];
    return [dropped, replace(body, "wiring does nothing", "undefined")];
  });
};

function isGivenToCall(node: Node, parents: readonly Node[]): boolean {
  const parent = parents.at(-1);
  return (
    ["CallExpression", "NewExpression"].includes(parent?.type ?? "") &&
    list(parent ?? node, "arguments").includes(node)
  );
}

/** Uses what a function of one argument was given: `hide(text)` becomes `text`. */
export const dropWrapping: Rule = (node, parents, text) => {
  const [given, ...others] = list(node, "arguments");
  const callee = member(node, "callee");
  if (node.type !== "CallExpression" || !given || others.length > 0 || !callee) return [];
  const isStatement = ["ExpressionStatement", "AwaitExpression"].includes(
    parents.at(-1)?.type ?? "",
  );
  // A function is given to be called, and a spread is no value.
  const isValue = !/Function|Spread/.test(given.type);
  if (isStatement || !isValue || bounds.has(read(callee, text))) return [];
  return [replace(node, "wrapping dropped", `(${read(given, text)})`)];
};

const bounds = new Set(["Math.abs", "Math.min", "Math.max"]);

/** Removes `Math.abs`, `Math.min` and `Math.max`. */
export const dropMathBound: Rule = (node, _, text) => {
  const callee = member(node, "callee");
  if (node.type !== "CallExpression" || !callee || !bounds.has(read(callee, text))) return [];
  const given = list(node, "arguments").filter(({ type }) => type !== "SpreadElement");
  return given.map((one) => replace(node, "bound dropped", `(${read(one, text)})`));
};
