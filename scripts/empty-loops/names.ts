import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Node, parseSync, visitorKeys } from "oxc-parser";

/** What a name is made of, in the part of the file where it is known. */
type Declared = { start: number; end: number; value: Node };
type Names = Map<string, Declared[]>;
type Imports = Map<string, { file: string; name: string }>;
export type Source = {
  /** The path from the root of the repository. */
  file: string;
  text: string;
  body: readonly Node[];
  /** All names, and those that other files may import. */
  names(): Names;
  exported(): Names;
  imports(): Imports;
};
export type Found = { source: Source; value: Node };
/** Reads another file, or returns null if there is none. */
export type ReadSource = (file: string) => Source | null;

/** Reads each file once. */
export function createReader(root: string): ReadSource {
  const read = new Map<string, Source | null>();
  return (file) => {
    const known = read.get(file);
    if (known !== undefined) return known;
    const text = tryRead(join(root, file));
    const source = text === null ? null : parseSource(file, text);
    read.set(file, source);
    return source;
  };
}

function tryRead(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

export function parseSource(file: string, text: string): Source {
  const { body } = parseSync(file, text).program;
  const whole = { start: 0, end: text.length };
  const collect = (depthMax: number) => {
    const names: Names = new Map();
    for (const statement of body) collectNames(statement, names, whole, depthMax);
    return names;
  };
  let names: Names | null = null;
  let exported: Names | null = null;
  let imports: Imports | null = null;
  return {
    file,
    text,
    body,
    names: () => (names ??= collect(Number.POSITIVE_INFINITY)),
    // `export const name = value` is a declarator in a declaration in a statement.
    exported: () => (exported ??= collect(2)),
    imports: () => (imports ??= collectImports(file, body)),
  };
}

/** The parts of a node that are executed. */
export function listParts(node: Node): Node[] {
  if (node.type.startsWith("TS") && !runsInside.has(node.type)) return [];
  const parts: Node[] = [];
  // The cast is safe: the keys are those of the members that are nodes or lists of them.
  const members = node as unknown as Record<string, Node | (Node | null)[] | null | undefined>;
  for (const key of visitorKeys[node.type] ?? []) {
    const value = members[key];
    if (Array.isArray(value)) for (const one of value) one !== null && parts.push(one);
    else if (value != null) parts.push(value);
  }
  return parts;
}

const runsInside = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

type Span = { start: number; end: number };

function collectNames(node: Node, names: Names, scope: Span, depthMax: number): void {
  const declare = (target: Node | null, value: Node, where: Span): void => {
    for (const name of listTargets(target)) {
      const known = names.get(name) ?? [];
      known.push({ start: where.start, end: where.end, value });
      names.set(name, known);
    }
  };
  let inner = scope;
  switch (node.type) {
    case "VariableDeclarator":
      if (node.init !== null) declare(node.id, node.init, scope);
      break;
    case "FunctionDeclaration":
      declare(node.id, node, scope);
      inner = node;
      break;
    case "ForOfStatement":
    case "ForInStatement":
      inner = node;
      if (node.left.type !== "VariableDeclaration") break;
      // An item of a constant table is constant as well.
      for (const { id } of node.left.declarations) declare(id, node.right, node);
      break;
    case "CallExpression": {
      const list = findIterated(node);
      const work = node.arguments.at(-1);
      if (
        list === null ||
        (work?.type !== "ArrowFunctionExpression" && work?.type !== "FunctionExpression")
      )
        break;
      for (const param of work.params) declare(param, list, work);
      break;
    }
    case "ArrowFunctionExpression":
    case "FunctionExpression":
    case "BlockStatement":
    case "ForStatement":
      inner = node;
  }
  if (depthMax === 0) return;
  for (const part of listParts(node)) collectNames(part, names, inner, depthMax - 1);
}

/** The list whose items a call gives to its last argument: of `list.map(work)` and of `test.each(list)(title, work)`. */
export function findIterated(call: Node & { type: "CallExpression" }): Node | null {
  const { callee, arguments: given } = call;
  if (callee.type === "MemberExpression" && callee.property.type === "Identifier") {
    const { name } = callee.property;
    if (name === "from" && given.length > 1) return given[0] ?? null;
    return iterating.has(name) ? callee.object : null;
  }
  if (callee.type !== "CallExpression" || callee.callee.type !== "MemberExpression") return null;
  const { property } = callee.callee;
  return property.type === "Identifier" && property.name === "each"
    ? (callee.arguments[0] ?? null)
    : null;
}

const iterating = new Set("forEach map flatMap filter every some find findIndex reduce".split(" "));

/** The names that a pattern declares. */
function listTargets(target: Node | null): string[] {
  switch (target?.type) {
    case "Identifier":
      return [target.name];
    case "AssignmentPattern":
      return listTargets(target.left);
    case "RestElement":
      return listTargets(target.argument);
    case "ArrayPattern":
      return target.elements.flatMap(listTargets);
    case "ObjectPattern":
      return target.properties.flatMap((one) =>
        listTargets(one.type === "Property" ? one.value : one),
      );
    default:
      return [];
  }
}

/** What a name is, in its file or in the file that it is imported from, if that file is one to follow. */
export function findValue(
  { name, start: at }: Node & { type: "Identifier" },
  source: Source,
  read: ReadSource,
  isFollowed: (file: string) => boolean = () => true,
): Found | null {
  let own: Declared | null = null;
  for (const one of source.names().get(name) ?? []) {
    // The innermost scope counts.
    const isInside = own === null || one.end - one.start < own.end - own.start;
    if (one.start <= at && at <= one.end && isInside) own = one;
  }
  if (own !== null) return { source, value: own.value };
  const imported = source.imports().get(name);
  if (imported === undefined || !isFollowed(imported.file)) return null;
  const other = read(imported.file);
  const value = other?.exported().get(imported.name)?.[0]?.value;
  return other === null || value === undefined ? null : { source: other, value };
}

function collectImports(file: string, body: readonly Node[]): Imports {
  const imports: Imports = new Map();
  for (const statement of body) {
    if (statement.type !== "ImportDeclaration") continue;
    const path = toPath(file, statement.source.value);
    for (const specifier of path === null ? [] : statement.specifiers) {
      if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier")
        continue;
      imports.set(specifier.local.name, { file: path ?? "", name: specifier.imported.name });
    }
  }
  return imports;
}

function toPath(file: string, specifier: string): string | null {
  if (specifier.startsWith(".")) return join(dirname(file), specifier);
  const [, name, path] = /^@hub\/([^/]+)\/(.+\.tsx?)$/.exec(specifier) ?? [];
  return name === undefined || path === undefined ? null : `packages/${name}/src/${path}`;
}
