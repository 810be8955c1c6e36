import { HubError } from "@hub/server/errors.ts";
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type EntryPath, toTextError } from "./config-text.ts";

/** A member of an object. */
type Property = { key: string; node: Node; value: Node };

type EntryNodes = {
  /** Null for a file without content. */
  root: Node | null;
  container: Property | null;
  entry: Property | null;
};

/** Finds the entry. Throws if the file is not an object, or has a member of the path twice. */
export function findEntryNodes(text: string, path: EntryPath): EntryNodes {
  const root = parse(text);
  if (root === null) return { root, container: null, entry: null };
  const container = findProperty(text, root, path.container, "The file");
  if (container === null) return { root, container, entry: null };
  const entry = findProperty(text, container.value, path.name, `"${path.container}"`);
  return { root, container, entry };
}

function parse(text: string): Node | null {
  const errors: ParseError[] = [];
  const root = parseNodes(text, errors);
  const [first] = errors;
  if (first !== undefined) throw toTextError(text, first.offset, describe(first));
  return root ?? null;
}

function parseNodes(text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (cause) {
    // The parser calls itself for each level of nesting.
    if (cause instanceof RangeError) throw new HubError("bad_request", "it is nested too deeply.");
    throw cause;
  }
}

/** `CommaExpected` → `comma expected.` */
function describe({ error }: ParseError): string {
  const words = printParseErrorCode(error).replace(/(?<=[a-z])[A-Z]/g, " $&");
  return `${words.toLowerCase()}.`;
}

function findProperty(text: string, parent: Node, key: string, what: string): Property | null {
  if (parent.type !== "object")
    throw toTextError(text, parent.offset, `${what} must be an object.`);
  const found = listProperties(parent).filter((property) => property.key === key);
  const [first, second] = found;
  if (second === undefined) return first ?? null;
  throw toTextError(text, second.node.offset, `"${key}" is there twice. Remove one.`);
}

export function listProperties(parent: Node): Property[] {
  return (parent.children ?? []).flatMap((node) => {
    const [key, value] = node.children ?? [];
    return key === undefined || value === undefined
      ? []
      : [{ key: String(key.value), node, value }];
  });
}
