/**
 * The tag of a row's own, by which single users get access to it: `row-`, words of the label, and the
 * beginning of the row's id. It keeps its name when the row is renamed.
 */
export function toRowTag({ id, label }: { id: string; label: string }): string {
  const words = label
    .normalize("NFKD")
    .toLowerCase()
    .slice(0, 100)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 40)
    .replace(/-$/, "");
  return `row-${words === "" ? "" : `${words}-`}${id.slice(0, 8)}`;
}

/** Whether a tag is the own one of some row. */
export function isRowTag(tag: string): boolean {
  return /^row-(?:[a-z0-9-]{1,41}-)?[0-9a-f]{8}$/.test(tag);
}

/** The own tag of a row among its tags; null if it has none. */
export function findRowTag({ id, tags }: { id: string; tags: readonly string[] }): string | null {
  return tags.find((tag) => isRowTag(tag) && tag.endsWith(`-${id.slice(0, 8)}`)) ?? null;
}
