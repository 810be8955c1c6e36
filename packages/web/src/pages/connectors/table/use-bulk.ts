import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { asApiError } from "../../../api/api-error.ts";
import type { Answer, ApiClient, Input } from "../../../api/call-api.ts";
import { readAgain } from "../../../api/read-again.ts";
import { useApiClient } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { formatCount } from "../../../ui/text/format.ts";
import type { RowFilters } from "./row-filters.ts";
import type { useSelection } from "./use-selection.ts";

type BulkAnswer = Answer<"POST /manager/api/rows/bulk">;
export type BulkChange = Omit<Input<"POST /manager/api/rows/bulk">["body"], "rows">;

/** What the API takes in one request. */
const rowsMax = 500;
const refreshed = [
  "GET /manager/api/rows",
  "GET /manager/api/rows/{row}",
  "GET /manager/api/connectors",
  "GET /admin/api/tags",
] as const;

const doneWords: Readonly<Record<BulkChange["do"], string>> = {
  enable: "enabled",
  disable: "disabled",
  add_tag: "tagged",
  remove_tag: "changed",
  approve_reads: "reviewed",
};
const inverse: Partial<Record<BulkChange["do"], BulkChange["do"]>> = {
  enable: "disable",
  disable: "enable",
  add_tag: "remove_tag",
  remove_tag: "add_tag",
};

/** Changes all chosen rows, in portions. What failed stays listed until it is closed. */
export function useBulk(
  filters: RowFilters,
  { selection, clear }: Pick<ReturnType<typeof useSelection>, "selection" | "clear">,
) {
  const api = useApiClient();
  const queries = useQueryClient();
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState<BulkAnswer["failed"]>([]);

  async function change(toIds: () => Promise<string[]>, body: BulkChange): Promise<void> {
    setBusy(true);
    setFailed([]);
    const answer: BulkAnswer = { done: [], unchanged: [], failed: [] };
    try {
      const ids = await toIds();
      for (let at = 0; at < ids.length; at += rowsMax) {
        const rows = ids.slice(at, at + rowsMax);
        const part = await api.call("POST /manager/api/rows/bulk", { body: { ...body, rows } });
        answer.done.push(...part.done);
        answer.unchanged.push(...part.unchanged);
        answer.failed.push(...part.failed);
      }
      clear();
    } catch (thrown) {
      toast({ kind: "error", text: asApiError(thrown).message });
    }
    setFailed(answer.failed);
    setBusy(false);
    await readAgain(queries, refreshed);
    if (answer.done.length === 0) return;
    // Undo leaves alone what was so before.
    const unchanged = new Set(answer.unchanged);
    const changed = answer.done.filter((id) => !unchanged.has(id));
    const back = changed.length === 0 ? undefined : inverse[body.do];
    toast({
      text: `${formatCount(answer.done.length, "row")} ${answer.done.length === 1 ? "is" : "are"} ${doneWords[body.do]}.`,
      ...(back !== undefined && {
        onUndo: () => void change(async () => changed, { ...body, do: back }),
      }),
    });
  }

  return {
    isBusy,
    failed,
    hideFailed: () => setFailed([]),
    run: (body: BulkChange) =>
      change(
        selection.isAll
          ? () => listMatching(api, filters, selection.ids)
          : async () => [...selection.ids],
        body,
      ),
  };
}

/** The ids of all rows that match. They are read before the change, which may take rows out of the filter. */
async function listMatching(
  api: ApiClient,
  { q, connector, tag, state }: RowFilters,
  leftOut: ReadonlySet<string>,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const query: Input<"GET /manager/api/rows">["query"] = {
      limit: rowsMax,
      ...(q !== undefined && { q }),
      ...(connector !== undefined && { connector }),
      ...(tag !== undefined && { tag }),
      ...(state !== undefined && { state }),
      ...(after !== null && { after }),
    };
    const page: Answer<"GET /manager/api/rows"> = await api.call("GET /manager/api/rows", {
      query,
    });
    ids.push(...page.rows.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  return ids.filter((id) => !leftOut.has(id));
}
