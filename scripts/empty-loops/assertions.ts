import type { Node } from "oxc-parser";
import { isConstant, isConstantList } from "./constants.ts";
import { findIterated, findValue, listParts, type ReadSource, type Source } from "./names.ts";

/** Whether a function has assertions that always run, and those that an empty list leaves out. */
type Assertions = { always: boolean; perItem: boolean };
type Name = Node & { type: "Identifier" };
const none: Assertions = { always: false, perItem: false };

/** Only such files have functions with assertions. */
const isOfTests = (file: string) =>
  /\.(?:test|testsuite|fixture)\.tsx?$|\/testing\/|^(?:test|scripts|bench)\//.test(file);

/** Finds the assertions of a function, with those of the functions that it uses. */
export function createSearch(read: ReadSource): (made: Node, source: Source) => Assertions {
  const known = new Map<Node, Assertions>();
  return function search(made, source) {
    const before = known.get(made);
    if (before !== undefined) return before;
    const found = { ...none };
    // A function that uses itself adds nothing.
    known.set(made, found);
    const used: { name: Name; isPerItem: boolean; given: readonly Node[] }[] = [];
    const add = (more: Assertions, isPerItem: boolean) => {
      found.always ||= more.always && !isPerItem;
      found.perItem ||= more.perItem || (more.always && isPerItem);
    };
    const visit = (node: Node, isPerItem: boolean, given: readonly Node[]): void => {
      if (found.always) return;
      if (node.type === "Identifier") {
        if (isAssertion(node.name)) add({ always: true, perItem: false }, isPerItem);
        else used.push({ name: node, isPerItem, given });
        return;
      }
      // A function with a name counts where it is used.
      if (node.type === "FunctionDeclaration") return;
      if (node.type === "VariableDeclarator") {
        if (node.init !== null && !isFunction(node.init)) visit(node.init, isPerItem, []);
        return;
      }
      const repeated = findRepeated(node, source, read)?.part;
      for (const part of listParts(node)) {
        const isCalled = node.type === "CallExpression" && part === node.callee;
        if (isLabel(part, node)) continue;
        visit(part, isPerItem || part === repeated, isCalled ? node.arguments : []);
      }
    };
    for (const part of listParts(made)) visit(part, false, []);
    for (const { name, isPerItem, given } of used) {
      if (found.always) break;
      const value = findValue(name, source, read, isOfTests);
      if (value === null || !isFunction(value.value)) continue;
      const { always, perItem } =
        isCheck(name.name) && hasThrow(value.value)
          ? { always: true, perItem: false }
          : search(value.value, value.source);
      // A loop of the function over a list that is written in the call.
      const isFull = perItem && given.some((value) => isConstantList({ source, value }, read));
      add({ always: always || isFull, perItem }, isPerItem);
    }
    return found;
  };
}

/** What the names are made of that assertions outside such loops mention. */
export function listAsserted(source: Source, read: ReadSource): Set<Node> {
  const values = new Set<Node>();
  const visit = (node: Node, isInside: boolean): void => {
    if (node.type === "Identifier" && isInside) {
      const value = findValue(node, source, read)?.value;
      if (value !== undefined) values.add(value);
    }
    const isExpect =
      node.type === "CallExpression" &&
      node.callee.type === "Identifier" &&
      isAssertion(node.callee.name);
    const repeated = findRepeated(node, source, read)?.part;
    for (const part of listParts(node)) {
      if (part !== repeated && !isLabel(part, node)) visit(part, isInside || isExpect);
    }
  };
  for (const statement of source.body) visit(statement, false);
  return values;
}

function isFunction({ type }: Node): boolean {
  return type === "FunctionDeclaration" || type.endsWith("FunctionExpression");
}

/** `fc` runs its properties a known number of times. */
function isAssertion(name: string): boolean {
  return /^(?:expect(?:TypeOf)?|assert\w*|fc)$/.test(name);
}

/** The name of a function that asserts by throwing. Others throw if they cannot do their work. */
function isCheck(name: string): boolean {
  return /^(?:check|expect|assert)[A-Z]/.test(name);
}

function hasThrow(node: Node): boolean {
  return node.type === "ThrowStatement" || listParts(node).some(hasThrow);
}

/** The part of a node that runs once for each item of a computed list, so perhaps never, and that list. */
export function findRepeated(
  node: Node,
  source: Source,
  read: ReadSource,
): { part: Node; list: Node } | null {
  const unless = (list: Node, part: Node | undefined) =>
    part === undefined || isConstant({ source, value: list }, read) ? null : { part, list };
  switch (node.type) {
    case "ForOfStatement":
    case "ForInStatement":
      return unless(node.right, node.body);
    case "WhileStatement":
      return unless(node.test, node.body);
    case "ForStatement":
      return node.test === null ? null : unless(toLimit(node.test), node.body);
    case "CallExpression": {
      const list = findIterated(node);
      return list === null ? null : unless(list, node.arguments.at(-1));
    }
    default:
      return null;
  }
}

/** The last value of a loop such as `at < limit`. */
function toLimit(test: Node): Node {
  if (test.type !== "BinaryExpression") return test;
  return test.operator.startsWith(">") ? test.left : test.right;
}

/** Whether a part is the name of a member, which says nothing about a name of the file. */
function isLabel(part: Node, node: Node): boolean {
  if (node.type === "MemberExpression") return part === node.property && !node.computed;
  return node.type === "Property" && part === node.key && !node.computed && !node.shorthand;
}
