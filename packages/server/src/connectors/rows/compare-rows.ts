type ListedRow = { connectorKey: string; label: string; id: string };

/** The order of all lists: by connector, label and id. */
export function compareRows(a: ListedRow, b: ListedRow): number {
  return (
    compareText(a.connectorKey, b.connectorKey) ||
    compareText(a.label, b.label) ||
    compareText(a.id, b.id)
  );
}

/** By code unit, so that the order does not depend on the locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
