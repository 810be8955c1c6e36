/** The narrowest width of a column, and how early it is left out: 0 is never, else the lowest first. */
type Sized = { minRem: number; rank: number };

const gapRem = 1;
const paddingRem = 2;

/** The columns that fit into a table of this width. Without a width, all of them. */
export function fitColumns<T extends Sized>(columns: readonly T[], widthRem: number | null): T[] {
  const kept = [...columns];
  if (widthRem === null) return kept;
  const toLeaveOut = kept
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => one.rank - other.rank);
  for (const column of toLeaveOut) {
    if (measure(kept) <= widthRem) break;
    kept.splice(kept.indexOf(column), 1);
  }
  return kept;
}

function measure(columns: readonly Sized[]): number {
  const gaps = gapRem * (columns.length - 1) + paddingRem;
  return columns.reduce((sum, { minRem }) => sum + minRem, gaps);
}
