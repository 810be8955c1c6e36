import { useCallback, useEffect, useRef, useState } from "react";
import { asApiError } from "../../api/api-error.ts";
import { useApiClient } from "../../api/use-api.ts";

export type ImportedRow = { id: string; label: string; missing: readonly string[] };

/** How far the discovery of a row is: `note` says why it failed. */
export type RowState = { name: "waiting" | "asking" | "done" | "failed"; note: string | null };

/** Each of them holds memory of the hub while it runs. */
const atOnce = 3;

/** Discovers the operations of new rows, a few at a time. A failing or slow one does not hold up the others. */
export function useRowDiscoveries(rows: readonly ImportedRow[]) {
  const api = useApiClient();
  const [states, setStates] = useState<Readonly<Record<string, RowState>>>({});
  const started = useRef(new Set<string>());
  const queue = useRef<ImportedRow[]>([]);
  const running = useRef(0);
  const set = useCallback((id: string, state: RowState) => {
    setStates((all) => ({ ...all, [id]: state }));
  }, []);
  const work = useCallback(async () => {
    if (running.current >= atOnce) return;
    const row = queue.current.shift();
    if (row === undefined) return;
    running.current += 1;
    set(row.id, { name: "asking", note: null });
    void work();
    try {
      await api.call("POST /manager/api/rows/{row}/discover", {
        params: { row: row.id },
        body: {},
      });
      set(row.id, { name: "done", note: null });
    } catch (thrown) {
      set(row.id, { name: "failed", note: asApiError(thrown).message });
    } finally {
      running.current -= 1;
      void work();
    }
  }, [api, set]);
  const ask = useCallback(
    (given: readonly ImportedRow[]) => {
      for (const row of given) set(row.id, { name: "waiting", note: null });
      queue.current.push(...given);
      void work();
    },
    [set, work],
  );
  useEffect(() => {
    const fresh = rows.filter(({ id }) => !started.current.has(id));
    for (const { id } of fresh) started.current.add(id);
    const complete = fresh.filter(({ missing }) => missing.length === 0);
    for (const { id, missing } of fresh.filter((one) => one.missing.length > 0)) {
      set(id, {
        name: "failed",
        note: `Still needs ${missing.join(", ")}. Set it on the row's page.`,
      });
    }
    if (complete.length > 0) ask(complete);
  }, [rows, ask, set]);
  const all = rows.map(({ id }) => states[id]?.name ?? "waiting");
  const isBusy = all.some((name) => name === "waiting" || name === "asking");
  return { states, isBusy, retry: (row: ImportedRow) => ask([row]) };
}
