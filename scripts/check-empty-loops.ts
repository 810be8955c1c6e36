/**
 * Checks that no test passes because a list is empty: each test has an assertion that is not in a loop over a computed
 * list, such as the rows of a query or the files of a folder. Where a computed list makes the tests, one with a fixed title
 * compares that list, or its length. Loops over lists that are written in the source are no fault, and neither are properties
 * of fast-check, whose number of runs is known.
 */
import { join, resolve } from "node:path";
import { Glob } from "bun";
import type { Node } from "oxc-parser";
import { createSearch, findRepeated, listAsserted } from "./empty-loops/assertions.ts";
import { mayPassEmpty } from "./empty-loops/may-pass-empty.ts";
import {
  createReader,
  findValue,
  listParts,
  type ReadSource,
  type Source,
} from "./empty-loops/names.ts";

const root = resolve(import.meta.dirname, "..");
const files = new Glob("{packages,plugins,test,scripts,bench}/**/*.{test,testsuite}.{ts,tsx}");

/** Lists every such test, one sentence each. */
export async function findEmptyLoops(): Promise<string[]> {
  const read = createReader(root);
  const faults: string[] = [];
  for await (const file of files.scan(root)) {
    if (file.includes("node_modules/")) continue;
    const text = await Bun.file(join(root, file)).text();
    const source = mayPassEmpty(text) ? read(file) : null;
    if (source !== null) faults.push(...findFaults(source, read));
  }
  return faults.sort();
}

export function findFaults(source: Source, read: ReadSource = () => null): string[] {
  const faults: string[] = [];
  const search = createSearch(read);
  let asserted: Set<Node> | null = null;
  /** Whether another test compares the list, so that it cannot be empty. */
  const isAsserted = (given: Node) => {
    const list = toWholeList(given);
    const value = list.type === "Identifier" ? findValue(list, source, read)?.value : undefined;
    asserted ??= listAsserted(source, read);
    return value !== undefined && asserted.has(value);
  };
  const visit = (node: Node, lists: readonly Node[]) => {
    const repeated = findRepeated(node, source, read);
    const title = node.type === "CallExpression" ? findTitle(node) : null;
    if (title !== null && node.type === "CallExpression") {
      const makers = repeated === null ? lists : [...lists, repeated.list];
      const work = node.arguments.findLast(({ type }) => type.endsWith("FunctionExpression"));
      const { always, perItem } = search(work ?? node, source);
      const line = source.text.slice(0, node.start).split("\n").length;
      const report = (message: string) =>
        faults.push(`${source.file}:${line}: "${title}": ${message}`);
      if (!makers.every(isAsserted)) {
        report("a computed list makes it; name the list, and compare it in a test of its own");
      } else if (!always && perItem) {
        report(
          "all its assertions are in loops over computed lists; compare the list, or its length, before the loop",
        );
      }
      return;
    }
    for (const part of listParts(node)) {
      visit(part, part === repeated?.part ? [...lists, repeated.list] : lists);
    }
  };
  for (const statement of source.body) visit(statement, []);
  return faults;
}

/** The list that `someOf(count, list)` takes some of. It takes at least one of a list with any. */
function toWholeList(node: Node): Node {
  const isSome =
    node.type === "CallExpression" &&
    node.callee.type === "Identifier" &&
    node.callee.name === "someOf";
  return isSome ? (node.arguments[1] ?? node) : node;
}

/** The title of `test("…", …)`, `test.if(…)("…", …)` and `test.each(…)("…", …)`, or null for another call. */
function findTitle(call: Node & { type: "CallExpression" }): string | null {
  const [title] = call.arguments;
  let called: Node = call.callee;
  while (called.type === "CallExpression" || called.type === "MemberExpression") {
    called = called.type === "CallExpression" ? called.callee : called.object;
  }
  if (called.type !== "Identifier" || !/^(?:test|it|nightlyTest)$/.test(called.name)) return null;
  if (title?.type === "Literal") return String(title.value);
  return title?.type === "TemplateLiteral"
    ? title.quasis.map(({ value }) => value.raw).join("…")
    : null;
}

if (import.meta.main) {
  const faults = await findEmptyLoops();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
