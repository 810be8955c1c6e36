import type { DiscoveredOperation } from "@hub/connector";
import { isJsonObject } from "@hub/connector";
import type { DocumentFilters } from "./document-filters.ts";
import { isWanted } from "./document-filters.ts";
import { LeftOut } from "./left-out.ts";
import { createOperationReader } from "./read-operation.ts";

/** An operation of a document, or why it is left out. */
export type ReadOperation =
  | { operation: DiscoveredOperation }
  | { leftOut: { sourceName: string; reason: string } };

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/** More would not fit into one row. */
export const operationsMax = 20_000;

/** Reads the operations of a parsed document one by one, in its order. */
export function* readDocument(
  document: Record<string, unknown>,
  filters: DocumentFilters,
): Generator<ReadOperation> {
  const reader = createOperationReader(document);
  const names = new Set<string>();
  let count = 0;
  for (const [path, given] of Object.entries(isJsonObject(document.paths) ? document.paths : {})) {
    if (!path.startsWith("/")) continue;
    for (const { method, item, operation, reason } of listMethods(reader, path, given)) {
      if (!isWanted(filters, { method, path, tags: operation?.tags })) continue;
      count += 1;
      if (count > operationsMax) return;
      const place = `${method.toUpperCase()} ${path}`;
      const sourceName = toSourceName(operation?.operationId, place, names);
      names.add(sourceName);
      try {
        if (reason !== null || operation === null)
          throw new LeftOut(reason ?? "It is not an object.");
        yield { operation: reader.read({ sourceName, method, path, item, operation }) };
      } catch (thrown) {
        if (!(thrown instanceof LeftOut)) throw thrown;
        yield { leftOut: { sourceName, reason: thrown.message } };
      }
    }
  }
}

type FoundMethod = {
  method: string;
  item: Record<string, unknown>;
  operation: Record<string, unknown> | null;
  reason: string | null;
};

/** The methods of a path. A path that cannot be read is listed as one method. */
function* listMethods(
  { references }: ReturnType<typeof createOperationReader>,
  _path: string,
  given: unknown,
): Generator<FoundMethod> {
  let item: Record<string, unknown>;
  try {
    item = references.resolve(given);
  } catch (thrown) {
    if (!(thrown instanceof LeftOut)) throw thrown;
    yield { method: "any", item: {}, operation: null, reason: thrown.message };
    return;
  }
  for (const method of methods) {
    if (!Object.hasOwn(item, method)) continue;
    const operation = item[method];
    yield { method, item, operation: isJsonObject(operation) ? operation : null, reason: null };
  }
}

const nameCharsMax = 200;

/** The operation's id, if the document gives it to this operation alone. */
function toSourceName(id: unknown, place: string, taken: ReadonlySet<string>): string {
  if (typeof id !== "string") return place;
  const name = id.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it checks for these characters.
  const isUsable = name !== "" && name.length <= nameCharsMax && !/[\0-\x1f\x7f]/.test(name);
  return isUsable && !taken.has(name) ? name : place;
}
