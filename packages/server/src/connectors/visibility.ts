import type { Caller } from "../caller.ts";
import { EVERYONE_TAG } from "../store/tags.ts";
import type { Row } from "./row-directory.ts";

/**
 * Whether the caller may know that the row exists. Every list, search, look-up and call asks this
 * one function, or the database by `toVisibleTags`, so that none of them sees more than another.
 */
export function isVisible(caller: Caller, row: Pick<Row, "tags">): boolean {
  if (caller.role === "admin") return true;
  return row.tags.some((tag) => tag === EVERYONE_TAG || caller.tags.has(tag));
}

/** The caller sees the rows with one of these tags; `undefined` stands for all rows. */
export function toVisibleTags(caller: Caller): readonly string[] | undefined {
  return caller.role === "admin" ? undefined : [EVERYONE_TAG, ...caller.tags];
}
