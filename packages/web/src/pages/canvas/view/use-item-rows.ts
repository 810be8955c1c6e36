import { useMemo } from "react";
import { useApi } from "../../../api/use-api.ts";
import type { Body } from "../graph/body.ts";
import type { ItemRow } from "../graph/flow.ts";
import { findRowId } from "../graph/item-row.ts";

/** As many as one request can name. Nodes of further rows show their operation only. */
const rowsMax = 100;

const none: ReadonlyMap<string, ItemRow> = new Map();

/** The rows whose operations the nodes call, by their ids. One request reads all of them. */
export function useItemRows({ nodes }: Body): ReadonlyMap<string, ItemRow> {
  const found = nodes.map(findRowId).filter((id) => id !== null);
  const ids = [...new Set(found)].sort().slice(0, rowsMax).join(",");
  const { data } = useApi(
    "GET /manager/api/rows",
    { query: { ids, limit: rowsMax } },
    { isOn: ids !== "", keepsLast: true },
  );
  return useMemo(() => {
    if (data === undefined || ids === "") return none;
    return new Map(data.rows.map(({ id, ...row }) => [id, row]));
  }, [data, ids]);
}
