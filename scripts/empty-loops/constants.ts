import type { Node } from "oxc-parser";
import { type Found, findValue, type ReadSource } from "./names.ts";

/** Their results have as many items as the list that they are called on. */
const keepingLength = new Set(
  "map sort toSorted reverse toReversed entries keys values concat fill with".split(" "),
);
const ofArgument = new Set(
  "Object.entries Object.keys Object.values Promise.all Array.from Object.fromEntries structuredClone Object.freeze".split(
    " ",
  ),
);

/**
 * Whether a list, or the limit of a loop, is written in the source: a literal, a constant made of one, or what has as
 * many items. A list that a program computes may be empty.
 */
export function isConstant({ source, value }: Found, read: ReadSource, depth = 0): boolean {
  if (depth > 20) return false;
  const is = (node: Node | null | undefined) =>
    node != null && isConstant({ source, value: node }, read, depth + 1);
  switch (value.type) {
    case "Identifier": {
      const found = findValue(value, source, read);
      return found !== null && isConstant(found, read, depth + 1);
    }
    case "ArrayExpression":
      return value.elements.some(
        (one) => one !== null && (one.type !== "SpreadElement" || is(one.argument)),
      );
    case "ObjectExpression":
      return value.properties.some((one) =>
        one.type === "SpreadElement" ? is(one.argument) : isMember(one, is),
      );
    case "Literal":
      return value.value !== "" && value.value !== 0 && value.value !== null;
    case "TemplateLiteral":
      return value.quasis.some(({ value: { raw } }) => raw !== "") || value.expressions.some(is);
    case "AwaitExpression":
      return is(value.argument);
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "ParenthesizedExpression":
    case "ChainExpression":
      return is(value.expression);
    case "MemberExpression": {
      const member = findMember({ source, value }, read);
      return member === null ? is(value.object) : isConstant(member, read, depth + 1);
    }
    case "ConditionalExpression":
      return is(value.consequent) && is(value.alternate);
    case "LogicalExpression":
      return is(value.left) && is(value.right);
    case "BinaryExpression":
      return value.left.type !== "PrivateIdentifier" && is(value.left) && is(value.right);
    case "NewExpression":
      return (
        value.callee.type === "Identifier" &&
        /^(?:Set|Map|\w*Array)$/.test(value.callee.name) &&
        is(value.arguments[0])
      );
    case "CallExpression":
      return isConstantCall(value, is);
    // A call of it, which the caller of this function has found.
    case "ArrowFunctionExpression":
    case "FunctionDeclaration":
    case "FunctionExpression":
      return is(findResult(value));
    default:
      return false;
  }
}

/** What `object.name` is, if the object is written in the source. */
function findMember({ source, value }: Found, read: ReadSource): Found | null {
  if (value.type !== "MemberExpression" || value.object.type !== "Identifier") return null;
  const { object, property } = value;
  const whole = findValue(object, source, read);
  if (whole?.value.type !== "ObjectExpression") return null;
  for (const one of whole.value.properties) {
    if (one.type !== "Property" || one.key.type !== "Identifier") continue;
    const isNamed = property.type === "Identifier" && one.key.name === property.name;
    if (isNamed) return { source: whole.source, value: one.value };
  }
  return null;
}

/** `{ length: 0 }` makes an empty list. */
function isMember(property: Node & { type: "Property" }, is: (node: Node) => boolean): boolean {
  const { key, value } = property;
  return key.type !== "Identifier" || key.name !== "length" || is(value);
}

function isConstantCall(
  { callee, arguments: given }: Node & { type: "CallExpression" },
  is: (node: Node | null | undefined) => boolean,
): boolean {
  const [first] = given;
  if (callee.type === "Identifier") {
    // Of `lib/testing/amount.ts`.
    if (callee.name === "someOf") return is(given[1]);
    if (callee.name === "amount") return given.every(is);
    return callee.name === "Array" || callee.name === "structuredClone" ? is(first) : is(callee);
  }
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return false;
  const { object, property } = callee;
  if (object.type === "Identifier" && ofArgument.has(`${object.name}.${property.name}`))
    return is(first);
  // A text always has one part at least.
  if (property.name === "split") return true;
  if (property.name === "flatMap") return is(object) && is(first);
  if (property.name === "concat") return is(object) || given.some(is);
  if (property.name === "repeat") return is(object) && is(first);
  return keepingLength.has(property.name) && is(object);
}

/** What a function with one result returns. */
function findResult(made: Node): Node | null {
  if (!("body" in made) || made.body === null || Array.isArray(made.body)) return null;
  // The cast is safe: the body of a function is a node.
  const body = made.body as Node;
  if (body.type !== "BlockStatement") return body;
  const [only, ...others] = body.body;
  return others.length === 0 && only?.type === "ReturnStatement" ? only.argument : null;
}

/** Whether a value is a list that is written in the source, not another constant. */
export function isConstantList({ source, value }: Found, read: ReadSource): boolean {
  if (value.type === "Identifier") {
    const found = findValue(value, source, read);
    return found !== null && isConstantList(found, read);
  }
  const isList = /^(?:Array|Call|New)Expression$/.test(value.type);
  return isList && isConstant({ source, value }, read);
}
