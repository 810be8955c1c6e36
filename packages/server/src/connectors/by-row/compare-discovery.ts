import type { StoredDefinition, StoredOperation } from "../../store/rows/row-operations-table.ts";
import { type CleanDiscovery, operationsMax } from "./clean-discovery.ts";
import { assignKeys } from "./operation-keys.ts";

/** As many as a row may have. Those that went first are forgotten first. */
const goneMax = operationsMax;

export type ComparedOperations = {
  /**
   * All operations of the row, at the end those that are gone. Of these, only approved ones are kept: of
   * the others, nobody has used a key.
   */
  operations: StoredOperation[];
  /** By operation key. An operation that came back unchanged is in none of these. */
  added: string[];
  changed: string[];
  gone: string[];
};

/**
 * The operations of a row after a discovery. With `isTrusted`, all that was found is approved;
 * otherwise a new operation and a changed one wait for an admin, and cannot be called. One that was approved
 * and is left out now cannot be called either.
 */
export function compareDiscovery(
  stored: readonly StoredOperation[],
  { operations: found, leftOut }: CleanDiscovery,
  { at, isTrusted }: { at: number; isTrusted: boolean },
): ComparedOperations {
  const before = new Map(stored.map((operation) => [operation.sourceName, operation]));
  const keys = assignKeys(
    found.map(({ sourceName }) => sourceName),
    new Map(stored.map(({ sourceName, key }) => [sourceName, key])),
  );
  const added: string[] = [];
  const changed: string[] = [];
  const present = found.map(({ sourceName, definition }): StoredOperation => {
    // Safe: `assignKeys` gives each name a key.
    const key = keys.get(sourceName) as string;
    const known = before.get(sourceName);
    if (known === undefined) added.push(key);
    else if (!isSame(toLast(known), definition)) changed.push(key);
    // A mark is for the definition that was marked. What differs has lost it.
    const isStillRead = known?.reads === true && isSame(known.definition, definition);
    const operation = {
      key,
      sourceName,
      goneAt: null,
      ...(isStillRead && { reads: true as const }),
    };
    if (isTrusted) return { ...operation, definition, approvedAt: at, pending: null };
    // What no admin has seen is replaced, and what one has approved stays beside the new definition.
    if (known === undefined || known.approvedAt === null) {
      return { ...operation, definition, approvedAt: null, pending: null };
    }
    const pending = isSame(known.definition, definition) ? null : definition;
    return { ...operation, definition: known.definition, approvedAt: known.approvedAt, pending };
  });
  const names = new Set(found.map(({ sourceName }) => sourceName));
  const faults = new Map(leftOut.map(({ sourceName, reason }) => [sourceName, reason]));
  const invalid: StoredOperation[] = [];
  const missing: StoredOperation[] = [];
  for (const operation of stored) {
    const { reads: _, ...unmarked } = operation;
    const { key, sourceName, definition, approvedAt, pending } = operation;
    if (names.has(sourceName)) continue;
    const fault = faults.get(sourceName);
    if (fault === undefined || approvedAt === null) {
      missing.push(operation);
      continue;
    }
    if (pending?.fault !== fault) changed.push(key);
    invalid.push({ ...unmarked, pending: { ...definition, fault }, goneAt: null });
  }
  const gone = missing.filter(({ goneAt }) => goneAt === null).map(({ key }) => key);
  // Without a limit, a system that names its operations anew each time would fill the disk.
  const kept = missing
    .filter(({ approvedAt }) => approvedAt !== null)
    .map((operation) => ({ ...operation, goneAt: operation.goneAt ?? at }))
    .sort((one, other) => other.goneAt - one.goneAt)
    .slice(0, goneMax);
  return { operations: [...present, ...invalid, ...kept], added, changed, gone };
}

/** The last description that could be used. */
function toLast({ definition, pending }: StoredOperation): StoredDefinition {
  return pending === null || pending.fault !== undefined ? definition : pending;
}

export function isSame(a: StoredDefinition, b: StoredDefinition): boolean {
  return (
    a.name === b.name &&
    a.description === b.description &&
    a.destructive === b.destructive &&
    a.idempotent === b.idempotent &&
    a.inputSchema === b.inputSchema &&
    a.outputSchema === b.outputSchema &&
    a.binding === b.binding &&
    a.fault === b.fault
  );
}
