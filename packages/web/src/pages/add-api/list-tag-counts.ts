import type { PlannedOperation } from "@hub/contract/connection-plan.ts";

export type TagCount = { tag: string; reads: number; writes: number };

/** The tags of a document with how many of their operations read and write, the largest first. */
export function listTagCounts(
  operations: ReadonlyArray<Pick<PlannedOperation, "tags" | "destructive">>,
): TagCount[] {
  const counts = new Map<string, TagCount>();
  for (const { tags, destructive } of operations) {
    for (const tag of new Set(tags)) {
      const one = counts.get(tag) ?? { tag, reads: 0, writes: 0 };
      if (destructive) one.writes += 1;
      else one.reads += 1;
      counts.set(tag, one);
    }
  }
  return [...counts.values()].sort(
    (one, other) => other.reads + other.writes - one.reads - one.writes,
  );
}
