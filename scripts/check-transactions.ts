/**
 * Checks the callbacks of transactions, which may run more than once, and the functions that they call, in all
 * files of the packages. They may use only the transaction, and not clocks, random numbers, files, keys, the
 * network or the database itself. Calls of members (`deps.work()`) are not followed.
 */
import { join, relative, resolve } from "node:path";
import { Glob } from "bun";
import { parseSync } from "oxc-parser";

const root = resolve(import.meta.dirname, "..");
const openers = new Set(["transaction", "exclusiveTransaction", "storeSecrets"]);

/** Functions that a transaction may call although they use more than it, and why. */
const exceptions: Record<string, string> = {};

type Node = { type: string; start: number; end: number; [member: string]: unknown };
type Import = { file: string; name: string };
type Source = {
  text: string;
  program: Node;
  functions: Map<string, Node>;
  /** Of other files, by their local names. */
  imports: Map<string, Import>;
  /** Local names of what the system's modules export, with the name of the module. */
  modules: Map<string, string>;
};
type Effect = { what: string; found: string; file: string; line: number; way: string[] };

/** Lists every callback that uses more than its transaction, one sentence each. */
export async function findTransactionFaults(): Promise<string[]> {
  const texts = new Map<string, string>();
  for await (const file of new Glob(
    "packages/{server,cli,contract,connector}/src/**/*.{ts,tsx}",
  ).scan(root)) {
    if (/\.(?:test|testsuite|d)\.tsx?$|\/testing\//.test(file)) continue;
    texts.set(file, await Bun.file(join(root, file)).text());
  }
  return findFaults(texts);
}

export function findFaults(texts: ReadonlyMap<string, string>): string[] {
  const sources = new Map([...texts].map(([file, text]) => [file, readSource(file, text)]));
  const known = new Map<Node, Effect[]>();
  const faults: string[] = [];
  for (const [file, source] of sources) {
    walk(source.program, (node, given) => {
      const callback = findCallback(node);
      if (callback === null) return;
      const line = toLine(source.text, callback.start);
      for (const { what, found, ...at } of listEffects(
        sources,
        known,
        { file, node: callback },
        given,
      )) {
        const way =
          at.way.length === 0
            ? found
            : `${found} in ${at.file}:${at.line}, by ${at.way.join(", ")}`;
        faults.push(`${file}:${line}: a transaction uses ${what} (${way}); do this before it`);
      }
    });
  }
  return [...new Set(faults)].sort();
}

function findCallback(node: Node): Node | null {
  const { callee, arguments: given } = node as { callee?: Node; arguments?: Node[] };
  if (node.type !== "CallExpression" || callee?.type !== "Identifier") return null;
  return openers.has(String(callee.name)) ? (given?.at(-1) ?? null) : null;
}

/** What a function uses, itself or by the functions that it calls. */
function listEffects(
  sources: ReadonlyMap<string, Source>,
  known: Map<Node, Effect[]>,
  { file, node: body }: Pick<Found, "file" | "node">,
  around: ParameterNames = new Set(),
): Effect[] {
  const before = known.get(body);
  if (before !== undefined) return before;
  const effects: Effect[] = [];
  // Before the calls are followed: functions may call each other.
  known.set(body, effects);
  const source = sources.get(file);
  if (source === undefined) return effects;
  const follow = (node: Node, given: ParameterNames) => {
    const use = findUse(source, node);
    if (use !== null) {
      effects.push({ ...use, file, line: toLine(source.text, node.start), way: [] });
    }
    for (const name of listCalled(node)) {
      if (given.has(name)) continue;
      const target = findFunction(sources, file, name);
      if (target === null || target.node === body || openers.has(name)) continue;
      if (`${target.file} ${target.name}` in exceptions) continue;
      for (const effect of listEffects(sources, known, target)) {
        effects.push({ ...effect, way: [target.name, ...effect.way] });
      }
    }
  };
  walk(body, follow, around);
  const first = new Map(
    effects.map((effect) => [`${effect.what} ${effect.file}:${effect.line}`, effect]),
  );
  effects.splice(0, effects.length, ...first.values());
  return effects;
}

/** The names of functions that a node calls, or gives to a call. */
function listCalled(node: Node): string[] {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return [];
  const { callee, arguments: given } = node as unknown as { callee: Node; arguments: Node[] };
  return [callee, ...given]
    .filter(({ type }) => type === "Identifier")
    .map(({ name }) => String(name));
}

type Found = { file: string; name: string; node: Node };

function findFunction(
  sources: ReadonlyMap<string, Source>,
  file: string,
  name: string,
): Found | null {
  const source = sources.get(file);
  const node = source?.functions.get(name);
  if (node !== undefined) return { file, name, node };
  const imported = source?.imports.get(name);
  return imported === undefined ? null : findFunction(sources, imported.file, imported.name);
}

type Use = Pick<Effect, "what" | "found">;

const fileModules = /^(?:node:)?(?:fs|fs\/promises|child_process)$/;
const networkModules = /^(?:node:)?(?:net|http|https|http2|tls|dns|dns\/promises|dgram)$/;
const keyFiles = /^(?:read|write|create)KeyFile$/;

/** What a node uses beside the transaction. */
function findUse({ text, modules }: Source, node: Node): Use | null {
  const found = text.slice(node.start, node.end).split("\n")[0]?.slice(0, 60) ?? "";
  if (node.type === "MemberExpression") {
    return /^(?:\w+\.)*(?:store|deps)\.db$/.test(found)
      ? { what: "the database itself", found }
      : null;
  }
  const { callee, arguments: given } = node as { callee?: Node; arguments?: Node[] };
  if (node.type === "NewExpression" && callee?.name === "Date" && given?.length === 0) {
    return { what: "the clock", found };
  }
  if (node.type !== "CallExpression" || callee === undefined) return null;
  const called = text.slice(callee.start, callee.end);
  const [object = ""] = called.split(".");
  const module = modules.get(object) ?? "";
  if (/(?:^|\.)now$/.test(called)) return { what: "the clock", found };
  if (/(?:^|\.)(?:random(?!UUIDv5)\w*|getRandomValues)$/.test(called)) {
    return { what: "random numbers", found };
  }
  if (
    fileModules.test(module) ||
    keyFiles.test(called) ||
    /^Bun\.(?:file|write|spawn\w*)$/.test(called)
  ) {
    return { what: "files and keys", found };
  }
  if (/\bring\.reload$/.test(called)) return { what: "files and keys", found };
  if (networkModules.test(module) || /^fetch/.test(called)) return { what: "the network", found };
  return null;
}

function readSource(file: string, text: string): Source {
  // Safe: nodes of ESTree.
  const program = parseSync(file, text).program as unknown as Node;
  const source: Source = {
    text,
    program,
    functions: new Map(),
    imports: new Map(),
    modules: new Map(),
  };
  walk(program, (node) => {
    const { id, init } = node as { id?: Node | null; init?: Node | null };
    if (node.type === "FunctionDeclaration" && id) source.functions.set(String(id.name), node);
    if (node.type === "VariableDeclarator" && id?.type === "Identifier" && isFunction(init)) {
      source.functions.set(String(id.name), init);
    }
    if (node.type === "ExportNamedDeclaration") readExport(source, file, node);
    if (node.type === "ImportDeclaration" && node.importKind !== "type")
      readImport(source, file, node);
  });
  return source;
}

function readImport({ imports, modules }: Source, file: string, node: Node): void {
  const { source, specifiers } = node as unknown as {
    source: { value: string };
    specifiers: { local: { name: string }; imported?: { name: string } }[];
  };
  const target = toFile(file, source.value);
  for (const { local, imported } of specifiers) {
    if (target === null) modules.set(local.name, source.value);
    else if (imported !== undefined) imports.set(local.name, { file: target, name: imported.name });
  }
}

/** What a file exports of another one. */
function readExport({ imports }: Source, file: string, node: Node): void {
  const { source, specifiers } = node as unknown as {
    source: { value: string } | null;
    specifiers: { local: { name: string }; exported: { name: string } }[];
  };
  const target = source === null ? null : toFile(file, source.value);
  if (target === null) return;
  for (const { local, exported } of specifiers) {
    imports.set(exported.name, { file: target, name: local.name });
  }
}

/** Null for a module outside the packages' own files. */
function toFile(file: string, source: string): string | null {
  if (source.startsWith(".")) return relative(root, resolve(root, file, "..", source));
  const [, name, path = "index.ts"] = /^@hub\/(\w+)(?:\/(.+))?$/.exec(source) ?? [];
  return name === undefined ? null : `packages/${name}/src/${path}`;
}

function isFunction(node: Node | null | undefined): node is Node {
  return node?.type === "ArrowFunctionExpression" || node?.type === "FunctionExpression";
}

/** The names that a function is given: they are not those of other functions of the file. */
function listParameterNames(node: Node): ParameterNames {
  const names = new Set<string>();
  const params = Array.isArray(node.params) ? (node.params as Node[]) : [];
  for (const param of params) {
    walk(param, (part) => {
      if (part.type === "Identifier") names.add(String(part.name));
    });
  }
  return names;
}

/** What the functions around a node are given. */
type ParameterNames = ReadonlySet<string>;

/** Visits a node and all nodes in it. Types are no code. */
function walk(
  node: Node,
  visit: (node: Node, given: ParameterNames) => void,
  around: ParameterNames = new Set(),
) {
  if (node.type.startsWith("TSType") || node.type === "TSInterfaceDeclaration") return;
  const given = Array.isArray(node.params) ? around.union(listParameterNames(node)) : around;
  visit(node, given);
  for (const member of Object.values(node)) {
    for (const one of Array.isArray(member) ? member : [member]) {
      if (typeof one === "object" && one !== null && "type" in one) walk(one as Node, visit, given);
    }
  }
}

function toLine(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

if (import.meta.main) {
  const faults = await findTransactionFaults();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
