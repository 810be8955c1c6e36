/** The members of a syntax tree node that the rules read. */
export type Node = {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
};

type Change = { kind: string; start: number; end: number; after: string };
type Rule = (node: Node, parents: readonly Node[], text: string) => Change[];

/** Lists the possible faults at one node. */
export function listChanges(node: Node, parents: readonly Node[], text: string): Change[] {
  return rules.flatMap((rule) => rule(node, parents, text));
}

const replace = (node: Node, kind: string, after: string): Change => ({
  kind,
  start: node.start,
  end: node.end,
  after,
});

/** Negates conditions: `if (a)` becomes `if (!(a))`, also for `?:` and `while`. */
const negateCondition: Rule = (node, _, text) => {
  const isTest = ["IfStatement", "ConditionalExpression", "WhileStatement"].includes(node.type);
  const test = member(node, "test");
  return isTest && test ? [replace(test, "condition negated", `!(${read(test, text)})`)] : [];
};

/** Removes `if (a) return b;` and checks of one statement. */
const dropGuard: Rule = (node) => {
  if (node.type !== "IfStatement" || member(node, "alternate")) return [];
  const body = member(node, "consequent");
  const statements = body?.type === "BlockStatement" ? list(body, "body") : body ? [body] : [];
  const isEarlyExit = ["ReturnStatement", "ThrowStatement", "ContinueStatement"].includes(
    statements.at(-1)?.type ?? "",
  );
  return [replace(node, isEarlyExit ? "early exit dropped" : "conditional step dropped", "")];
};

/** Removes one side of `&&`, `||` and `??`. */
const dropSide: Rule = (node, _, text) => {
  const [left, right] = [member(node, "left"), member(node, "right")];
  if (node.type !== "LogicalExpression" || !left || !right) return [];
  const sides = [left, right].map((side) =>
    replace(node, "condition dropped", `(${read(side, text)})`),
  );
  return node.operator === "??" ? sides.slice(1) : sides;
};

const nextOperators: Record<string, string> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

/** Shifts a bound by one. */
const shiftBound: Rule = (node, _, text) => {
  const after = nextOperators[String(node.operator)];
  const [left, right] = [member(node, "left"), member(node, "right")];
  if (node.type !== "BinaryExpression" || after === undefined || !left || !right) return [];
  return [replace(node, "bound shifted", `${read(left, text)} ${after} ${read(right, text)}`)];
};

/** Multiplies a limit by 1,000. Small limits and sizes are also shifted by one. */
const changeLimit: Rule = (node, parents, text) => {
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

/** Removes a call statement, for example a check, a record or a close. */
const dropCall: Rule = (node, _, text) => {
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
const dropAwait: Rule = (node, parents, text) => {
  const argument = member(node, "argument");
  const isStatement = parents.at(-1)?.type === "ExpressionStatement";
  const isTried = parents.some(({ type }) => type === "TryStatement");
  const isReturned = parents.at(-1)?.type === "ReturnStatement" && isTried;
  if (node.type !== "AwaitExpression" || !argument || !(isStatement || isReturned)) return [];
  return [replace(node, "await dropped", read(argument, text))];
};

/** Removes the last argument, or swaps two neighbours. */
const changeArguments: Rule = (node, _, text) => {
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
const changeWiring: Rule = (node, parents, text) => {
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

function toDropped(property: Node, text: string): Omit<Change, "kind"> {
  const comma = /^\s*,/.exec(text.slice(property.end))?.[0].length ?? 0;
  return { start: property.start, end: property.end + comma, after: "" };
}

/** Replaces an error code by another code, and a flag by its opposite. */
const changeConstant: Rule = (node, parents, text) => {
  if (node.type !== "Literal") return [];
  if (typeof node.value === "boolean") {
    return [replace(node, "flag turned", String(!node.value))];
  }
  const parent = parents.at(-1);
  const isName = parent?.type.startsWith("Import") || parent?.type.startsWith("Export");
  if (typeof node.value !== "string" || isName || member(parent ?? node, "key") === node) return [];
  if (!/^[a-z][a-z0-9_:-]+$/i.test(node.value) || read(node, text)[0] !== '"') return [];
  const other = codes[(codes.indexOf(node.value) + 1) % codes.length];
  const after = codes.includes(node.value) ? `"${other}"` : `"${node.value}x"`;
  return [replace(node, codes.includes(node.value) ? "code changed" : "text changed", after)];
};

/** Error codes. Each is replaced by the next one. */
const codes = ["not_found", "conflict", "invalid_params", "forbidden", "rate_limited", "internal"];

/** Removes a restriction: a clause of a query, a filter, a cut, lower-casing. */
const dropNarrowing: Rule = (node, _, text) => {
  const callee = member(node, "callee");
  const object = callee && member(callee, "object");
  const name = callee && member(callee, "property")?.name;
  if (node.type !== "CallExpression" || !object || typeof name !== "string") return [];
  if (!narrowing.has(name)) return [];
  return [replace(node, "narrowing dropped", read(object, text))];
};

const narrowing = new Set(
  "where filter slice trim toLowerCase normalize sort reverse limit orderBy catch finally".split(
    " ",
  ),
);

const rules: Rule[] = [
  negateCondition,
  dropGuard,
  dropSide,
  shiftBound,
  changeLimit,
  dropCall,
  dropAwait,
  changeArguments,
  changeWiring,
  changeConstant,
  dropNarrowing,
];

function read(node: Node, text: string): string {
  return text.slice(node.start, node.end);
}

function member(node: Node, name: string): Node | null {
  const value = node[name];
  // The cast is safe: an object of the syntax tree with a type is a node.
  return typeof value === "object" && value !== null && "type" in value ? (value as Node) : null;
}

function list(node: Node, name: string): Node[] {
  const value = node[name];
  return Array.isArray(value) ? value : [];
}
