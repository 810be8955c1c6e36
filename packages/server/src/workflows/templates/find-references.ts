import type { Command, Node, Operand, Pipeline, Template } from "./parse/template-nodes.ts";

/** What a template reads, known without rendering it. */
export type References = {
  /** `isTested` is true if the template reads the node only where its absence is tested. */
  nodes: { id: string; isTested: boolean }[];
  secrets: string[];
  env: string[];
  /** The first two names behind `.Event`, such as `["Payload", "body"]`. */
  event: (readonly string[])[];
  usesItem: boolean;
  /** Each path behind `.Node` and `.Event`; `isTested` if the template tests for this value anywhere. */
  reads: { root: "Node" | "Event"; path: readonly string[]; isTested: boolean }[];
};

/**
 * The nodes, secrets and variables that a template reads. A node is tested where `if` or `with`
 * tested it before, in such a test itself, as the value of `default`, in `or` before the last
 * value, and in a `range` with `else`.
 */
export function findReferences({ nodes }: Template): References {
  const found: Found = {
    nodes: new Map(),
    secrets: new Set(),
    env: new Set(),
    event: new Map(),
    usesItem: false,
    reads: new Map(),
  };
  visitNodes(found, nodes, none);
  return {
    nodes: [...found.nodes].map(([id, isTested]) => ({ id, isTested })),
    secrets: [...found.secrets],
    env: [...found.env],
    event: [...found.event.values()],
    usesItem: found.usesItem,
    reads: [...found.reads.values()],
  };
}

type Found = {
  nodes: Map<string, boolean>;
  secrets: Set<string>;
  env: Set<string>;
  event: Map<string, readonly string[]>;
  usesItem: boolean;
  reads: Map<string, References["reads"][number]>;
};

/** The ids of nodes that are known to be present at a place. */
type Present = ReadonlySet<string>;

const none: Present = new Set();

function visitNodes(found: Found, nodes: readonly Node[], present: Present): void {
  for (const node of nodes) visitNode(found, node, present);
}

function visitNode(found: Found, node: Node, present: Present): void {
  if (node.kind === "action") visitPipeline(found, node.pipeline, present, { isTest: false });
  if (node.kind === "range") {
    visitPipeline(found, node.pipeline, present, { isTest: node.otherwise !== null });
    visitNodes(found, node.body, join(present, whenTrue(node.pipeline)));
    visitNodes(found, node.otherwise ?? [], present);
  }
  if (node.kind === "if" || node.kind === "with") {
    let known = present;
    for (const { pipeline, body } of node.branches) {
      visitPipeline(found, pipeline, known, { isTest: true });
      visitNodes(found, body, join(known, whenTrue(pipeline)));
      known = join(known, whenFalse(pipeline));
    }
    visitNodes(found, node.otherwise, known);
  }
}

type Use = {
  /** Whether only the truth of the value matters, so that a missing one is false. */
  isTest: boolean;
};

function visitPipeline(found: Found, pipeline: Pipeline, present: Present, use: Use): void {
  const { commands } = pipeline;
  for (const [at, command] of commands.entries()) {
    const next = commands[at + 1];
    // `VALUE | default "x"` gives the value to `default` as its last argument.
    const isTested = next === undefined ? use.isTest : nameOf(next) === "default";
    const passes = next !== undefined && use.isTest && nameOf(next) === "not";
    visitCommand(found, command, present, { isTest: isTested || passes });
  }
}

function visitCommand(found: Found, command: Command, present: Present, use: Use): void {
  const [first, ...args] = command.operands;
  const name = nameOf(command);
  if (name === null) {
    visitOperand(found, first, present, use);
    return;
  }
  if (name === "index") addIndexed(found, args, use);
  let known = present;
  for (const [at, arg] of args.entries()) {
    const isLast = at === args.length - 1;
    const isTest =
      (name === "default" && at === 1) ||
      ((name === "not" || name === "and") && use.isTest) ||
      (name === "or" && (use.isTest || !isLast));
    visitOperand(found, arg, known, { isTest });
    // `and` and `or` stop at the value that decides, so what follows knows the ones before.
    if (name === "and") known = join(known, whenTrueOperand(arg));
    if (name === "or") known = join(known, whenFalseOperand(arg));
  }
}

function visitOperand(found: Found, operand: Operand, present: Present, use: Use): void {
  if (operand.kind === "group") {
    // The value itself must be tested, not a field of it.
    visitPipeline(found, operand.pipeline, present, use);
    return;
  }
  if (operand.kind !== "root") return;
  addRead(found, operand, operand.path, use);
  const [name] = operand.path;
  switch (operand.root) {
    case "Node":
      if (name !== undefined) {
        const isTested = use.isTest || present.has(name);
        found.nodes.set(name, isTested && (found.nodes.get(name) ?? true));
      }
      break;
    case "Secret":
      if (name !== undefined) found.secrets.add(name);
      break;
    case "Env":
      if (name !== undefined) found.env.add(name);
      break;
    case "Event": {
      const path = operand.path.slice(0, 2);
      if (path.length > 0) found.event.set(path.join("."), path);
      break;
    }
    case "Item":
    case "Index":
      found.usesItem = true;
      break;
  }
}

/** `index .Node.list "name"` reads a member. */
function addIndexed(found: Found, [of, ...keys]: readonly Operand[], use: Use): void {
  if (of?.kind !== "root") return;
  const names: string[] = [];
  for (const key of keys) {
    if (key.kind !== "literal" || typeof key.value !== "string") break;
    names.push(key.value);
  }
  if (names.length > 0) addRead(found, of, [...of.path, ...names], use);
}

function addRead(
  { reads }: Found,
  { root }: Operand & { kind: "root" },
  path: readonly string[],
  { isTest }: Use,
): void {
  if ((root !== "Node" && root !== "Event") || path.length === 0) return;
  const key = JSON.stringify([root, ...path]);
  reads.set(key, { root, path, isTested: isTest || reads.get(key)?.isTested === true });
}

/** The nodes that are present if the value is true. */
function whenTrue({ commands }: Pipeline): Present {
  const [only] = commands;
  return only === undefined || commands.length > 1 ? none : whenTrueCommand(only);
}

function whenFalse({ commands }: Pipeline): Present {
  const [only] = commands;
  return only === undefined || commands.length > 1 ? none : whenFalseCommand(only);
}

function whenTrueCommand(command: Command): Present {
  const [first, ...args] = command.operands;
  switch (nameOf(command)) {
    case null:
      return whenTrueOperand(first);
    case "and":
      return args.map(whenTrueOperand).reduce(join, none);
    case "not":
      return args.map(whenFalseOperand).reduce(join, none);
    default:
      return none;
  }
}

function whenFalseCommand(command: Command): Present {
  const [, ...args] = command.operands;
  switch (nameOf(command)) {
    case "or":
      return args.map(whenFalseOperand).reduce(join, none);
    case "not":
      return args.map(whenTrueOperand).reduce(join, none);
    default:
      return none;
  }
}

function whenTrueOperand(operand: Operand): Present {
  if (operand.kind === "group") return whenTrue(operand.pipeline);
  const [name] = operand.kind === "root" && operand.root === "Node" ? operand.path : [];
  return name === undefined ? none : new Set([name]);
}

function whenFalseOperand(operand: Operand): Present {
  return operand.kind === "group" && operand.path.length === 0 ? whenFalse(operand.pipeline) : none;
}

/** More tested nodes are not remembered, since the set is copied for each that is added. */
const presentMax = 100;

function join(one: Present, other: Present): Present {
  return other.size === 0 || one.size >= presentMax ? one : new Set([...one, ...other]);
}

function nameOf({ operands: [first] }: Command): string | null {
  return first.kind === "function" ? first.name : null;
}
