import type { RowRecord } from "../../store/rows/row-record.ts";

/** The values of a row that are not sealed. */
export function toPlainTexts({ values }: Pick<RowRecord, "values">): Map<string, string> {
  return new Map(values.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));
}
