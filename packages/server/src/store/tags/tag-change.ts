import { toTagNames } from "./tags-table.ts";

type TagChange = { tags?: string[] | undefined; addTags: string[]; removeTags: string[] };

/** The tags after a change: `tags` replaces, then `addTags`, then `removeTags`. */
export function toChangedTags(present: readonly string[], change: TagChange): string[] {
  const removed = new Set(toTagNames(change.removeTags));
  return toTagNames([...(change.tags ?? present), ...change.addTags]).filter(
    (tag) => !removed.has(tag),
  );
}

export function hasSameTags(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((tag) => b.includes(tag));
}
