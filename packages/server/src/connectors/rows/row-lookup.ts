import { stripInvisible } from "../../lib/text/strip-invisible.ts";
import { beginningChars } from "../../store/rows/row-beginnings.ts";

/** Finds rows by what people and models write of them. */
export type RowLookup<Row> = {
  /** The rows whose id begins so. The beginning has at least 8 characters. */
  listByBeginning(beginning: string): readonly Row[];
  /** The rows with this label, in whatever case, with or without the characters that show nothing. */
  listByLabel(label: string): readonly Row[];
};

/** Its tables are made when they are asked first, since most callers give whole ids. */
export function createRowLookup<Row extends { id: string; label: string }>(
  rows: readonly Row[],
): RowLookup<Row> {
  let byBeginning: ReadonlyMap<string, Row[]> | null = null;
  let byLabel: ReadonlyMap<string, Row[]> | null = null;
  return {
    listByBeginning(beginning) {
      byBeginning ??= Map.groupBy(rows, ({ id }) => id.slice(0, beginningChars));
      const found = byBeginning.get(beginning.slice(0, beginningChars)) ?? [];
      return found.filter(({ id }) => id.startsWith(beginning));
    },
    listByLabel(label) {
      byLabel ??= Map.groupBy(rows, (row) => fold(row.label));
      return byLabel.get(fold(label)) ?? [];
    },
  };
}

/** Models are shown labels without invisible characters. */
function fold(label: string): string {
  return stripInvisible(label).replace(/\s+/g, " ").trim().toLowerCase();
}
