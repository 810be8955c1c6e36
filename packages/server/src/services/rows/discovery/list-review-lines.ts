import { containsText } from "@hub/connector";
import type { ReviewFilter } from "@hub/contract/review-filters.ts";
import type { ReviewLine } from "@hub/contract/row-discovery.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { listUnreviewedKeys, readRowOperations } from "../../../store/rows/read-row-operations.ts";
import type {
  StoredDefinition,
  StoredOperation,
} from "../../../store/rows/row-operations-table.ts";
import { loadRow } from "../load-row.ts";
import type { ChangeDeps } from "./change-operations.ts";
import { findWarnings } from "./find-warnings.ts";
import { isHidden } from "./is-hidden.ts";
import { toDigest, toPresent } from "./present-review.ts";
import { readRoute } from "./read-route.ts";

export type LineQuery = {
  /** Words in the key, the name or the description. */
  q?: string | undefined;
  filter?: ReviewFilter | "hidden" | undefined;
  after: number;
  limit: number;
};

export type LinePage = { lines: ReviewLine[]; total: number; next: string | null };

const descriptionCharsMax = 200;
/** Of definitions at their limits, this many take a few milliseconds. */
const perTurn = 20;
/** Operations that are read at once. */
const readAtOnce = 200;

/** A page of the operations that wait or are gone, as lines. Those that an admin has hidden are only in the filter `hidden`. */
export async function listReviewLines(
  { store }: Pick<ChangeDeps, "store">,
  rowId: string,
  { q = "", filter, after, limit }: LineQuery,
): Promise<LinePage> {
  const row = await loadRow(store.db, rowId);
  const keys = await listUnreviewedKeys(store.db, row.id);
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const end = after + limit;
  const lines: ReviewLine[] = [];
  let total = 0;
  for (let first = 0; first < keys.length; first += readAtOnce) {
    const part = keys.slice(first, first + readAtOnce);
    const stored = await readRowOperations(store.db, row.id, part);
    for (const [at, one] of stored.entries()) {
      if (at % perTurn === perTurn - 1) await yieldToEventLoop();
      const review = findReview(one);
      if (review === null || isHidden(row, one) !== (filter === "hidden")) continue;
      if (!isOfKind(one, review, filter) || !hasWords(one, words)) continue;
      if (total >= after && total < end) lines.push(toLine(one));
      total += 1;
    }
  }
  return { lines, total, next: end < total ? String(end) : null };
}

function isOfKind(
  one: StoredOperation,
  review: ReviewLine["review"],
  filter: LineQuery["filter"],
): boolean {
  if (filter === undefined || filter === "hidden") return true;
  if (filter !== "warnings") return review === filter;
  return review !== "gone" && review !== "invalid" && findWarnings(toPresent(one)).length > 0;
}

function hasWords(one: StoredOperation, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { name, description } = toPresent(one);
  const text = `${one.key}\n${one.sourceName}\n${name}\n${description}`.toLowerCase();
  return words.every((word) => containsText(text, word));
}

function toLine(one: StoredOperation): ReviewLine {
  const present = toPresent(one);
  return {
    key: one.key,
    source_name: one.sourceName,
    // Safe: only operations with a review are listed.
    review: findReview(one) ?? "new",
    digest: toDigest(present),
    name: present.name,
    description: cutLine(present.description, descriptionCharsMax),
    ...readRoute(present.binding),
    destructive: present.destructive,
    warnings: present.fault === undefined ? findWarnings(present) : [present.fault],
    changed: one.pending === null ? [] : listChanged(one.definition, one.pending),
  };
}

const parts: ReadonlyArray<readonly [keyof StoredDefinition, string]> = [
  ["name", "name"],
  ["description", "description"],
  ["destructive", "effect"],
  ["idempotent", "effect"],
  ["inputSchema", "input schema"],
  ["outputSchema", "output schema"],
  ["binding", "how it is called"],
];

function listChanged(before: StoredDefinition, after: StoredDefinition): string[] {
  const changed = parts.filter(([part]) => before[part] !== after[part]).map(([, name]) => name);
  return [...new Set(changed)];
}
