import { HubError } from "../errors.ts";

/** Fewer characters of an id are too easily another's. */
const prefixCharsMin = 6;

/** The item with this id, or whose id alone begins with it. Throws `conflict` when several do. */
export function findByIdPrefix<Item extends { id: string }>(
  items: readonly Item[],
  typed: string,
): Item | null {
  const wanted = typed.trim().toLowerCase();
  if (wanted.length < prefixCharsMin) return null;
  const found = items.filter((item) => item.id.startsWith(wanted));
  if (found.length > 1) {
    const ids = found.map((item) => item.id).join(", ");
    throw new HubError("conflict", `"${typed}" fits ${ids}. Give more of the id.`);
  }
  return found[0] ?? null;
}
