import { useState } from "react";
import { asApiError } from "../../api/api-error.ts";
import { useApiClient } from "../../api/use-api.ts";
import { createQueue } from "./create-queue.ts";

export type ImportedRow = { id: string; label: string; missing: readonly string[] };

/** How far the discovery of a row is: `note` says why it failed. */
type DiscoveryState = { name: "waiting" | "asking" | "done" | "failed"; note: string | null };

export type RowDiscovery = { row: ImportedRow; state: DiscoveryState };

/** Each of them holds memory of the hub while it runs. */
const atOnce = 3;

/** Discovers the operations of new rows, a few at a time. A failing or slow one does not hold up the others. */
export function useRowDiscoveries() {
  const api = useApiClient();
  const [discoveries, setDiscoveries] = useState<readonly RowDiscovery[]>([]);
  const [queue] = useState(() => createQueue(atOnce));
  const set = (row: ImportedRow, state: DiscoveryState) =>
    setDiscoveries((all) => all.map((one) => (one.row.id === row.id ? { row, state } : one)));
  const ask = (row: ImportedRow) => {
    set(row, { name: "waiting", note: null });
    queue.add(async () => {
      set(row, { name: "asking", note: null });
      try {
        const params = { row: row.id };
        await api.call("POST /manager/api/rows/{row}/discover", { params, body: {} });
        set(row, { name: "done", note: null });
      } catch (thrown) {
        set(row, { name: "failed", note: asApiError(thrown).message });
      }
    });
  };
  return {
    /** Of all rows that were added, in their order. */
    discoveries,
    add(rows: readonly ImportedRow[]) {
      const added = rows.map((row) => ({ row, state: toFirstState(row) }));
      setDiscoveries((all) => [...all, ...added]);
      for (const row of rows) if (row.missing.length === 0) ask(row);
    },
    retry: ask,
  };
}

function toFirstState({ missing }: ImportedRow): DiscoveryState {
  if (missing.length === 0) return { name: "waiting", note: null };
  const note = `Still needs ${missing.join(", ")}. Set it on the row's page.`;
  return { name: "failed", note };
}
