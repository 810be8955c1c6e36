/**
 * Checks that the members of an object literal are written out, and not packed into lines by spreads of other literals
 * (`...{ a, b }`). A packed record hides misspelled members from the compiler, and differences from the reader. Items of lists and
 * arguments are written out, too, except groups that begin with a text: options with their values, and rows of words.
 */
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { type Node, parseSync, Visitor } from "oxc-parser";

const root = resolve(import.meta.dirname, "..");
const files = new Glob("{packages,plugins,test,scripts,bench}/**/*.{ts,tsx,mjs}");
const mayPack = /\.\.\.\s*\(?\s*[{[]/;

/** Lists every packed literal, one sentence each. */
export async function findPacking(): Promise<string[]> {
  const faults: string[] = [];
  for await (const file of files.scan(root)) {
    if (file.includes("node_modules/")) continue;
    faults.push(...findFaults(file, await Bun.file(join(root, file)).text()));
  }
  return faults.sort();
}

export function findFaults(file: string, text: string): string[] {
  if (!mayPack.test(text)) return [];
  const faults: string[] = [];
  const report = (node: Node, what: string) => {
    const line = text.slice(0, node.start).split("\n").length;
    faults.push(`${file}:${line}: ${what} are packed by a spread of a literal; write them out`);
  };
  const checkItems = (items: readonly (Node | null)[]) => {
    for (const item of items) if (item !== null && packsItems(item)) report(item, "items");
  };
  new Visitor({
    ObjectExpression({ properties }) {
      for (const member of properties) if (packsMembers(member)) report(member, "members");
    },
    JSXSpreadAttribute(attribute) {
      if (attribute.argument.type === "ObjectExpression") report(attribute, "attributes");
    },
    ArrayExpression: ({ elements }) => checkItems(elements),
    CallExpression: (call) => checkItems(call.arguments),
    NewExpression: (made) => checkItems(made.arguments),
  }).visit(parseSync(file, text).program);
  return faults;
}

function packsMembers(node: Node): boolean {
  return node.type === "SpreadElement" && unwrap(node.argument).type === "ObjectExpression";
}

function packsItems(node: Node): boolean {
  if (node.type !== "SpreadElement") return false;
  const list = unwrap(node.argument);
  if (list.type !== "ArrayExpression") return false;
  const [first] = list.elements;
  return first == null || !isText(first);
}

function isText(node: Node): boolean {
  return (
    node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string")
  );
}

/** The literal in parentheses or with `as const`. Another type is the purpose of its spread. */
function unwrap(node: Node): Node {
  if (node.type === "ParenthesizedExpression") return unwrap(node.expression);
  return node.type === "TSAsExpression" && isConst(node.typeAnnotation)
    ? unwrap(node.expression)
    : node;
}

function isConst(type: Node): boolean {
  return (
    type.type === "TSTypeReference" &&
    type.typeName.type === "Identifier" &&
    type.typeName.name === "const"
  );
}

if (import.meta.main) {
  const faults = await findPacking();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
