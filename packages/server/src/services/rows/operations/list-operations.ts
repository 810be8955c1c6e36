import { containsText } from "@hub/connector";
import type { ListedOperation, RowOperation, RowView } from "@hub/contract/row.ts";
import type { Caller } from "../../../caller.ts";
import { toOperationsStamp } from "../../../connectors/by-row/marked-operations.ts";
import type { Operation, RegisteredConnector } from "../../../connectors/connector-port.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { isForAdmins } from "../../../operations/admission/for-admins.ts";
import { isOffered } from "../../../operations/admission/offered.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { waitsForReview } from "../discovery/waits-for-review.ts";
import { loadVisibleRow } from "../load-row.ts";
import { toRowOperation } from "../views/present-row.ts";

type ListDeps = Pick<ServiceDeps, "store" | "registry">;

export type OperationQuery = {
  /** Words in the key, the name or the description, ignoring case. */
  q?: string | undefined;
  /** Only the operation with this key. */
  key?: string | undefined;
  /** Only those that clients can call. */
  callable: boolean;
  limit: number;
  /** The operations before the page. */
  after: number;
};

export type OperationPage = {
  operations: ListedOperation[];
  /** Of all operations that match. */
  total: number;
  /** The `after` of the next page; null on the last one. */
  next: string | null;
  /** Of the operations and their marks, as they were before they were read. Null if admins mark none of them. */
  stamp: string | null;
};

const descriptionCharsMax = 200;
/** Operations that are searched before other callers get a turn, about 1 ms of work. */
const perPortion = 200;

/**
 * A page of a row's operations that the caller sees, in the order of the outside system. Those whose key or
 * name has the words come first.
 */
export async function listOperations(
  { store, registry }: ListDeps,
  caller: Caller,
  rowId: string,
  { q = "", key, callable, limit, after }: OperationQuery,
): Promise<OperationPage> {
  const row = await loadVisibleRow(store.db, caller, rowId);
  const connector = registry.find(row.connectorKey);
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const byName: Operation[] = [];
  const byDescription: Operation[] = [];
  let portion = perPortion;
  const all = await registry.loadOperations(store.db, row);
  for (const operation of all.values()) {
    portion -= 1;
    if (portion === 0) {
      portion = perPortion;
      await yieldToEventLoop();
    }
    if (key !== undefined && operation.key !== key) continue;
    if (!isShown(caller, connector, operation)) continue;
    if (callable && !isCallable(toRowOperation(operation, row))) continue;
    const name = `${operation.key}\n${operation.name}`;
    if (hasWords(name, words)) byName.push(operation);
    else if (hasWords(`${name}\n${operation.description}`, words)) byDescription.push(operation);
  }
  const found = [...byName, ...byDescription];
  const operations = found.slice(after, after + limit).map((operation) => ({
    ...toRowOperation(operation, row),
    description: cutLine(operation.description, descriptionCharsMax),
  }));
  const end = after + operations.length;
  const isMore = operations.length > 0 && end < found.length;
  return {
    operations,
    total: found.length,
    next: isMore ? String(end) : null,
    stamp: toOperationsStamp(connector, row, all),
  };
}

/** Only admins see the operations behind the settings, their own ones, and what they have not reviewed. */
export function isShown(
  { role }: Caller,
  connector: RegisteredConnector | null,
  operation: Operation,
): boolean {
  if (role === "admin") return true;
  const isReviewed = (operation.fromRow?.review ?? null) === null;
  return isReviewed && isOffered(operation) && !isForAdmins(connector, operation);
}

export function countOperations(operations: readonly RowOperation[]): RowView["operation_counts"] {
  let enabled = 0;
  let waiting = 0;
  for (const operation of operations) {
    if (operation.enabled && !operation.review) enabled += 1;
    if (waitsForReview(operation.review, operation.enabled)) waiting += 1;
  }
  return { total: operations.length, enabled, waiting };
}

function isCallable({ enabled, review = null, test_only: isTestOnly }: RowOperation): boolean {
  return enabled && review === null && !isTestOnly;
}

function hasWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const lower = text.toLowerCase();
  return words.every((word) => containsText(lower, word));
}
