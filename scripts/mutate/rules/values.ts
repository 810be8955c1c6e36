import { list, member, type Rule, read, replace, toDropped } from "./rule.ts";

/** Replaces an error code by another code, and a flag by its opposite. */
export const changeConstant: Rule = (node, parents, text) => {
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
export const dropNarrowing: Rule = (node, _, text) => {
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

/** Takes one element out of a list or set. */
export const dropElement: Rule = (node, _, text) => {
  const elements = list(node, "elements").filter((one) => one !== null);
  if (node.type !== "ArrayExpression" || elements.length < 2) return [];
  return elements.map((one) => ({ ...toDropped(one, text), kind: "element dropped" }));
};

/** Factors that turn one unit into another. */
const units = new Set([24, 60, 100, 1000, 1024, 3600, 60_000, 3_600_000, 86_400_000]);

/** Leaves out the factor between two units: `at / 1000` becomes `at`. */
export const dropUnit: Rule = (node, _, text) => {
  const [left, right] = [member(node, "left"), member(node, "right")];
  if (node.type !== "BinaryExpression" || !left || !right) return [];
  if (node.operator !== "*" && node.operator !== "/") return [];
  const isUnit = (side: typeof left) => units.has(Number(side.value));
  // Of a product of numbers, such as a limit, another rule changes one.
  if (isUnit(right) && left.type !== "Literal") {
    return [replace(node, "unit dropped", `(${read(left, text)})`)];
  }
  const isFactor = node.operator === "*" && isUnit(left) && right.type !== "Literal";
  return isFactor ? [replace(node, "unit dropped", `(${read(right, text)})`)] : [];
};

/** Leaves out one of the values in a text. */
export const dropTextPart: Rule = (node) => {
  if (node.type !== "TemplateLiteral") return [];
  const expressions = list(node, "expressions");
  return expressions.map((one) => replace(one, "part of text dropped", '""'));
};

const otherSigns: Record<string, string> = { "+=": "-=", "-=": "+=", "-": "+" };

/** Adds in place of subtracting, and the other way round. */
export const turnSign: Rule = (node, _, text) => {
  const after = otherSigns[String(node.operator)];
  const [left, right] = [member(node, "left"), member(node, "right")];
  const isSum = ["AssignmentExpression", "BinaryExpression"].includes(node.type);
  if (!isSum || after === undefined || !left || !right) return [];
  return [replace(node, "sign turned", `${read(left, text)} ${after} ${read(right, text)}`)];
};

/** Returns an object in which one value is another one. The type checker leaves those that it may be. */
export const changeReturned: Rule = (node, parents) => {
  const isReturned = ["ReturnStatement", "ArrowFunctionExpression"].includes(
    parents.findLast(({ type }) => type !== "ParenthesizedExpression")?.type ?? "",
  );
  if (node.type !== "ObjectExpression" || !isReturned) return [];
  return list(node, "properties").flatMap((property) => {
    const value = member(property, "value");
    if (!value || property.shorthand === true || property.method === true) return [];
    if (value.value === 0) return [replace(value, "returned value changed", "1")];
    if (value.value === 1) return [replace(value, "returned value changed", "0")];
    return value.value === null ? [] : [replace(value, "returned value changed", "null")];
  });
};
