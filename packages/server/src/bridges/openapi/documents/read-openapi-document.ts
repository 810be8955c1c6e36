import type { DiscoveredOperation } from "@hub/connector";
import { isJsonObject } from "@hub/connector";
import type { DocumentFilters } from "./document-filters.ts";
import { isWanted } from "./document-filters.ts";
import { LeftOut } from "./left-out.ts";
import { createOperationReader } from "./read-openapi-operation.ts";
import { type References, resolveItem } from "./references.ts";

/** An operation of a document with its tags, or why it is left out. */
export type ReadOperation =
  | { operation: DiscoveredOperation; tags: string[] }
  | { leftOut: LeftOutOperation };

/** `count` is of operations that are left out together, without their names. */
export type LeftOutOperation = { sourceName: string; reason: string; count?: number };

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
  let rest = 0;
  for (const [path, given] of Object.entries(isJsonObject(document.paths) ? document.paths : {})) {
    if (path.startsWith("x-")) continue;
    for (const { method, item, operation, reason } of listMethods(reader, given)) {
      if (!isWanted(filters, { method, path, tags: operation?.tags })) continue;
      count += 1;
      if (count > operationsMax) {
        rest += 1;
        continue;
      }
      const place = `${method.toUpperCase()} ${path}`;
      const sourceName = toSourceName(operation?.operationId, place, names);
      names.add(sourceName);
      try {
        if (reason !== null || operation === null)
          throw new LeftOut(reason ?? "It is not an object.");
        const read = reader.read({ sourceName, method, path, item, operation });
        yield { operation: read, tags: toTags(operation.tags) };
      } catch (thrown) {
        if (!(thrown instanceof LeftOut)) throw thrown;
        yield { leftOut: { sourceName, reason: thrown.message } };
      }
    }
  }
  if (rest === 0) return;
  const reason = `At most ${operationsMax} operations of a document are read. Use filters.`;
  yield { leftOut: { sourceName: `${rest} more operations`, reason, count: rest } };
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
  given: unknown,
): Generator<FoundMethod> {
  let item: Record<string, unknown>;
  try {
    item = resolveItem(references, given);
  } catch (thrown) {
    if (!(thrown instanceof LeftOut)) throw thrown;
    yield { method: "any", item: {}, operation: null, reason: thrown.message };
    return;
  }
  for (const method of methods) {
    if (Object.hasOwn(item, method))
      yield { method, item, ...readMethod(references, item[method]) };
  }
}

function readMethod(
  references: References,
  given: unknown,
): Pick<FoundMethod, "operation" | "reason"> {
  if (!isJsonObject(given)) return { operation: null, reason: null };
  try {
    return { operation: references.resolve(given), reason: null };
  } catch (thrown) {
    if (!(thrown instanceof LeftOut)) throw thrown;
    return { operation: null, reason: thrown.message };
  }
}

const tagsMax = 5;
const tagCharsMax = 100;

function toTags(tags: unknown): string[] {
  if (!Array.isArray(tags)) return [];
  return tags
    .slice(0, tagsMax)
    .filter((tag) => typeof tag === "string")
    .map((tag) => tag.slice(0, tagCharsMax));
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
