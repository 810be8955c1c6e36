import type { LeftOutPage } from "@hub/contract/row-discovery.ts";
import { countLeftOut, findRowDiscovery } from "../../../store/rows/row-discoveries-table.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";
import { toLeftOut } from "./present-review.ts";

/** A page of what the last discovery of a row left out. `after` is the `next` of the page before. */
export async function listLeftOut(
  { store }: Pick<ServiceDeps, "store">,
  rowId: string,
  { after = 0, limit = 100 }: { after?: number | undefined; limit?: number | undefined } = {},
): Promise<LeftOutPage> {
  const { id } = await loadRow(store.db, rowId);
  const leftOut = (await findRowDiscovery(store.db, id))?.leftOut ?? [];
  const end = after + limit;
  return {
    left_out: leftOut.slice(after, end).map(toLeftOut),
    left_out_total: countLeftOut(leftOut),
    next: end < leftOut.length ? String(end) : null,
  };
}
