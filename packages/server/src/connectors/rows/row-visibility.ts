import type { Caller } from "../../caller.ts";
import type { RowTests } from "../../store/rows/row-record.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";

/**
 * Whether the caller may see the row. Every list, search, look-up and call uses this function, or
 * `toVisibleTags` in the database, so that all have the same rule.
 */
export function isVisible(
  caller: Pick<Caller, "role" | "tags">,
  row: { readonly tags: readonly string[] },
): boolean {
  if (caller.role === "admin") return true;
  return row.tags.some((tag) => tag === EVERYONE_TAG || caller.tags.has(tag));
}

/** Whether the caller may test the row: an admin, or a user who sees it and whom its `tests` lets test. */
export function mayTest(
  caller: Pick<Caller, "role" | "tags">,
  row: { readonly tags: readonly string[]; readonly tests: RowTests },
): boolean {
  return caller.role === "admin" || (row.tests === "tag" && isVisible(caller, row));
}

/** The tags whose rows the caller sees; `undefined` for all rows. */
export function toVisibleTags(
  caller: Pick<Caller, "role" | "tags">,
): readonly string[] | undefined {
  return caller.role === "admin" ? undefined : [EVERYONE_TAG, ...caller.tags];
}
