/** The tags that were added to and removed from the ones that were shown when the edit began. */
export function findTagChange(
  shown: readonly string[],
  typed: readonly string[],
): { add_tags: string[]; remove_tags: string[] } {
  return {
    add_tags: typed.filter((tag) => !shown.includes(tag)),
    remove_tags: shown.filter((tag) => !typed.includes(tag)),
  };
}

/**
 * What another admin has changed meanwhile, in words: null if nothing. `shown` are the tags at the
 * start of the edit, `now` those of the hub.
 */
export function describeOthersChange(
  shown: readonly string[],
  now: readonly string[],
): string | null {
  const { add_tags: added, remove_tags: removed } = findTagChange(shown, now);
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(", ")}`] : []),
  ];
  return parts.length === 0 ? null : `Meanwhile another admin has ${parts.join(" and ")}.`;
}

/** The tags after both changes: the typed ones on those of the hub. */
export function applyTagChange(
  now: readonly string[],
  { add_tags, remove_tags }: { add_tags: readonly string[]; remove_tags: readonly string[] },
): string[] {
  return [...new Set([...now, ...add_tags])].filter((tag) => !remove_tags.includes(tag)).sort();
}
