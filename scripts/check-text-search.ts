/**
 * Checks that texts which come from outside are searched in linear time. The engine's `includes`, `indexOf`,
 * `lastIndexOf`, `split`, `replace` and `replaceAll` are quadratic for long needles in repetitive texts, and
 * patterns made of data can be exponential. So product code gives them needles that are constants, and uses
 * `text-search.ts` of `connector` and `lib/text/linear-pattern.ts` for others.
 */
import { dirname, join, resolve } from "node:path";
import { Glob } from "bun";
import { type Node, parseSync, Visitor } from "oxc-parser";
import { searchExceptions } from "./text-search-exceptions.ts";

const root = resolve(import.meta.dirname, "..");
const product = /^(?:packages\/(?:server|connector|cli)|plugins\/[^/]+)\//;
const notProduct = /\.(?:test|testsuite|fixture)\.tsx?$|\/testing\//;
const searches = new Set(["includes", "indexOf", "lastIndexOf", "split", "replace", "replaceAll"]);
/** Arrays have these, too. */
const ofArrays = new Set(["includes", "indexOf", "lastIndexOf"]);
const givesArray =
  /^(?:map|filter|flatMap|toSorted|sort|keys|entries|values|split|concat|flat|toReversed|matchAll)$/;
/** Their searches are linear, or short. */
const bounded = new Set(["Buffer", "Uint8Array", "RegExp", "number", "boolean"]);

/** Whether a name is a list, a constant, or something else; `member` is what members of its name are. */
type Kind = "list" | "constant" | "other" | "member";
type Declared = { kind: Kind; start: number; end: number; member: string };
/** What the members of types, and the results of functions, are. */
type Members = Map<string, Set<Kind>>;
type Source = {
  file: string;
  text: string;
  program: ReturnType<typeof parseSync>["program"];
  /** The declarations of each name, with the part of the file in which they are known. */
  names: Map<string, Declared[]>;
};

/** Lists every search whose needle may be data, one sentence each. */
export async function findSearchFaults(): Promise<string[]> {
  const sources: Source[] = [];
  for await (const file of new Glob("{packages,plugins}/*/src/**/*.{ts,tsx}").scan(root)) {
    if (!product.test(file) || notProduct.test(file)) continue;
    sources.push(readSource(file, await Bun.file(join(root, file)).text()));
  }
  return findFaults(sources, searchExceptions);
}

export function readSource(file: string, text: string): Source {
  const { program } = parseSync(file, text);
  return { file, text, program, names: new Map() };
}

/** `exceptions` has the source of a call by its file, with the reason why it is safe. */
export function findFaults(
  sources: readonly Source[],
  exceptions: Readonly<Record<string, Readonly<Record<string, string>>>>,
): string[] {
  const members: Members = new Map();
  for (const source of sources) collectNames(source, members);
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const faults: string[] = [];
  const used = new Set<string>();
  for (const source of sources) {
    const report = (node: Node, message: string) => {
      const code = source.text.slice(node.start, node.end).replace(/\s+/g, " ");
      const exception = Object.keys(exceptions[source.file] ?? {}).find((one) =>
        code.startsWith(one),
      );
      if (exception !== undefined) {
        used.add(`${source.file}: ${exception}`);
        return;
      }
      const line = source.text.slice(0, node.start).split("\n").length;
      faults.push(`${source.file}:${line}: ${code.slice(0, 80)}: ${message}`);
    };
    new Visitor({
      CallExpression(call) {
        const { callee, arguments: given } = call;
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
        const { name } = callee.property;
        const [needle] = given;
        if (!searches.has(name) || needle === undefined) return;
        if (name.startsWith("replace") && given.length < 2) return;
        const find = (node: Node) => kindOf(node, source, { byFile, members });
        const receiver = find(callee.object);
        // Searching a constant text is short.
        if (find(needle) === "constant" || receiver === "constant") return;
        if (ofArrays.has(name) && receiver === "list") return;
        report(call, "its needle may be data; use text-search.ts of connector");
      },
      NewExpression(made) {
        const [pattern] = made.arguments;
        if (made.callee.type !== "Identifier" || made.callee.name !== "RegExp") return;
        if (pattern === undefined || kindOf(pattern, source, { byFile, members }) === "constant")
          return;
        report(made, "the pattern may be data; use lib/text/linear-pattern.ts");
      },
    }).visit(source.program);
  }
  for (const [file, calls] of Object.entries(exceptions)) {
    for (const call of Object.keys(calls)) {
      if (used.has(`${file}: ${call}`)) continue;
      faults.push(`${file}: the exception for ${call} is not needed; remove it`);
    }
  }
  return faults.sort();
}

/** Records what the names of a file and the members of its types are. */
function collectNames({ program, names, text }: Source, members: Members): void {
  const scopes = [{ start: 0, end: text.length }];
  const declare = (name: string, kind: Kind, member = name) => {
    const scope = scopes.at(-1) ?? { start: 0, end: text.length };
    names.set(name, [...(names.get(name) ?? []), { kind, member, ...scope }]);
  };
  const recordMember = (name: string, kind: Kind) =>
    members.set(name, (members.get(name) ?? new Set()).add(kind));
  const declareTarget = (target: Node, init: Node | null): void => {
    if (target.type === "AssignmentPattern") declareTarget(target.left, target.right);
    if (target.type === "ObjectPattern") {
      for (const property of target.properties) {
        if (property.type !== "Property") continue;
        const { value } = property;
        const name = value.type === "AssignmentPattern" ? value.left : value;
        const key = property.key.type === "Identifier" ? property.key.name : "";
        if (name.type === "Identifier") declare(name.name, "member", key);
        else declareTarget(name, null);
      }
    }
    if (target.type === "ArrayPattern") {
      for (const item of target.elements) if (item !== null) declareTarget(item, null);
    }
    if (target.type !== "Identifier") return;
    const type = target.typeAnnotation?.typeAnnotation;
    declare(
      target.name,
      type != null ? kindOfType(type) : init === null ? "other" : kindOfInit(init),
    );
  };
  const enter = (made: Node & { params: readonly Node[] }) => {
    scopes.push({ start: made.start, end: made.end });
    for (const param of made.params) declareTarget(param, null);
  };
  const exit = () => void scopes.pop();
  new Visitor({
    VariableDeclarator: ({ id, init }) => declareTarget(id, init),
    FunctionDeclaration(made) {
      const type = made.returnType?.typeAnnotation;
      if (made.id !== null && type != null) recordMember(`${made.id.name}()`, kindOfType(type));
      enter(made);
    },
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    "FunctionDeclaration:exit": exit,
    "FunctionExpression:exit": exit,
    "ArrowFunctionExpression:exit": exit,
    TSPropertySignature({ key, typeAnnotation }) {
      if (key.type !== "Identifier" || typeAnnotation == null) return;
      recordMember(key.name, kindOfType(typeAnnotation.typeAnnotation));
    },
    Property({ key, value }) {
      if (key.type !== "Identifier") return;
      const kind = kindOfInit(value);
      if (kind === "list") recordMember(key.name, kind);
    },
  }).visit(program);
}

function kindOfType(type: Node): Kind {
  if (type.type === "TSArrayType" || type.type === "TSTupleType") return "list";
  if (type.type === "TSTypeOperator") return kindOfType(type.typeAnnotation);
  if (type.type === "TSUnionType") {
    const kinds = type.types
      .filter(({ type }) => !/^TS(?:Null|Undefined)Keyword$/.test(type))
      .map(kindOfType);
    return kinds.every((kind) => kind === kinds[0]) ? (kinds[0] ?? "other") : "other";
  }
  if (type.type === "TSNumberKeyword" || type.type === "TSLiteralType") return "constant";
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return "other";
  const { name } = type.typeName;
  if (name === "Promise") {
    const [inner] = type.typeArguments?.params ?? [];
    return inner === undefined ? "other" : kindOfType(inner);
  }
  if (/^(?:Readonly)?(?:Array|Set)$/.test(name)) return "list";
  return bounded.has(name) ? "constant" : "other";
}

function kindOfInit(init: Node): Kind {
  switch (init.type) {
    case "Literal":
      return "constant";
    case "TemplateLiteral":
      return init.expressions.length === 0 ? "constant" : "other";
    case "ArrayExpression":
      return "list";
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return kindOfType(init.typeAnnotation) === "list" ? "list" : kindOfInit(init.expression);
    case "AwaitExpression":
      return kindOfInit(init.argument);
    case "NewExpression":
      // What it is made of is checked where it is made.
      return init.callee.type === "Identifier" && init.callee.name === "RegExp"
        ? "constant"
        : "other";
    case "ConditionalExpression": {
      const kind = kindOfInit(init.consequent);
      return kind === kindOfInit(init.alternate) ? kind : "other";
    }
    case "CallExpression": {
      const { callee } = init;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier")
        return "other";
      return givesArray.test(callee.property.name) || /^(?:array)$/.test(callee.property.name)
        ? "list"
        : "other";
    }
    default:
      return "other";
  }
}

type World = { byFile: ReadonlyMap<string, Source>; members: Members };

function kindOf(node: Node, source: Source, world: World): Kind {
  switch (node.type) {
    case "Identifier":
      return kindOfName(node, source, world);
    case "ChainExpression":
      return kindOf(node.expression, source, world);
    case "TSAsExpression":
    case "ParenthesizedExpression":
      return kindOfInit(node) === "list" ? "list" : kindOf(node.expression, source, world);
    case "AwaitExpression":
      return kindOf(node.argument, source, world);
    case "MemberExpression":
      if (node.property.type === "Identifier" && node.property.name === "source") {
        return kindOf(node.object, source, world);
      }
      return node.property.type === "Identifier" && !node.computed
        ? onlyKind(world.members.get(node.property.name))
        : "other";
    case "CallExpression":
      if (node.callee.type === "Identifier") {
        return onlyKind(world.members.get(`${node.callee.name}()`));
      }
      return kindOfInit(node);
    case "BinaryExpression":
    case "TemplateLiteral": {
      const parts = node.type === "TemplateLiteral" ? node.expressions : [node.left, node.right];
      return parts.every((part) => kindOf(part, source, world) === "constant")
        ? "constant"
        : "other";
    }
    default:
      return kindOfInit(node);
  }
}

/** What a name is in its file, or in the file that it is imported from. */
function kindOfName(
  { name, start }: Node & { type: "Identifier"; name: string },
  source: Source,
  world: World,
): Kind {
  const known = (source.names.get(name) ?? []).filter(
    (one) => one.start <= start && one.end >= start,
  );
  // The innermost scope counts.
  const own = known.sort((one, other) => one.end - one.start - (other.end - other.start))[0];
  if (own !== undefined)
    return own.kind === "member" ? onlyKind(world.members.get(own.member)) : own.kind;
  return kindOfImport(name, source, world);
}

/** What a file takes from another file, also to pass it on. */
function kindOfImport(name: string, { file, program }: Source, world: World): Kind {
  for (const statement of program.body) {
    const isImport = statement.type === "ImportDeclaration";
    if (!isImport && statement.type !== "ExportNamedDeclaration") continue;
    const from = statement.source?.value;
    if (from === undefined) continue;
    for (const specifier of statement.specifiers) {
      const [known, original] =
        specifier.type === "ImportSpecifier"
          ? [specifier.local, specifier.imported]
          : specifier.type === "ExportSpecifier"
            ? [specifier.exported, specifier.local]
            : [];
      if (known?.type !== "Identifier" || known.name !== name) continue;
      if (original?.type !== "Identifier") continue;
      // The separators of paths.
      if (from === "node:path") return "constant";
      const source = world.byFile.get(join(dirname(file), from));
      if (source === undefined) return "other";
      const own = source.names.get(original.name)?.find((one) => one.start === 0);
      return own?.kind ?? kindOfImport(original.name, source, world);
    }
  }
  return "other";
}

/** Members of one name may be of several kinds. */
function onlyKind(kinds: ReadonlySet<Kind> | undefined): Kind {
  const [first, ...others] = kinds ?? [];
  return first === undefined || others.length > 0 ? "other" : first;
}

if (import.meta.main) {
  const faults = await findSearchFaults();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
