import type { RowDetail } from "@hub/contract/row.ts";
import type { RowState } from "@hub/contract/row-state.ts";
import type { CommandHub } from "../cli.ts";

type Deps = Pick<CommandHub, "services" | "author">;

/** The row with its state and the calls of its last day, as every command shows it. */
export async function addState<Row extends RowDetail>(
  { services, author }: Deps,
  row: Row,
): Promise<Row & { state: RowState }> {
  const { readRowState } = await import("@hub/server/services/rows/views/visible-rows.ts");
  return { ...row, ...(await readRowState(services, author.caller, row.id)) };
}
