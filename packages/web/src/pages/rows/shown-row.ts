import type { RowView } from "@hub/contract/row.ts";

/** A row as its page has it: how many operations there are, but not which. There may be thousands. */
export type ShownRow = Omit<RowView, "operations">;

/** Whether a user who sees the row may test it. */
export function mayTest({ tests }: Pick<ShownRow, "tests">, isAdmin: boolean): boolean {
  return isAdmin || tests === "tag";
}
