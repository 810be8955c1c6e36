import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";

/** The members of a row that make it a channel. */
export type ChannelRow = {
  id: string;
  connectorKey: string;
  slug: string | null;
  tags: readonly string[];
};

/**
 * The channel with this name among those that the caller sees: its slug, or its kind while the
 * caller sees one channel of that kind. A hidden channel changes no answer.
 */
export function findChannel<Row extends ChannelRow>(
  rows: readonly Row[],
  caller: Pick<Caller, "role" | "tags">,
  name: string,
): Row | null {
  let ofKind: Row | null = null;
  let count = 0;
  for (const row of rows) {
    if (row.slug === null) continue;
    const isNamed = row.slug === name;
    if (!(isNamed || row.connectorKey === name) || !isVisible(caller, row)) continue;
    if (isNamed) return row;
    ofKind = row;
    count += 1;
  }
  return count === 1 ? ofKind : null;
}
