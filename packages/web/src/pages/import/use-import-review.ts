import type { ReviewLine } from "@hub/contract/row-discovery.ts";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ApiError } from "../../api/api-error.ts";
import { useApiClient } from "../../api/use-api.ts";
import type { ImportedRow } from "./use-row-discoveries.ts";

/** Of one row. The next come when these are approved. */
export const linesPerRow = 200;

export type RowLine = { row: ImportedRow; line: ReviewLine };
type Found = { lines: RowLine[]; isCut: boolean };

/** What waits for a review in some rows, and the approval of any of it. */
export function useImportReview(
  rows: readonly ImportedRow[],
  isOn: boolean,
  onApproved: () => void,
) {
  const api = useApiClient();
  const review = useQuery<Found, ApiError>({
    queryKey: ["import review", rows.map(({ id }) => id)],
    enabled: isOn,
    async queryFn() {
      const found: Found = { lines: [], isCut: false };
      for (const row of rows) {
        const page = await api.call("GET /manager/api/rows/{row}/review/lines", {
          params: { row: row.id },
          query: { limit: linesPerRow },
        });
        found.lines.push(...page.lines.map((line) => ({ row, line })));
        if (page.next !== null) found.isCut = true;
      }
      return found;
    },
  });
  const approve = useMutation<number, ApiError, readonly RowLine[]>({
    async mutationFn(given) {
      for (const row of rows) {
        const operations = given
          .filter((one) => one.row.id === row.id)
          .map(({ line: { key, digest } }) => ({ key, digest }));
        if (operations.length === 0) continue;
        const params = { row: row.id };
        await api.call("POST /manager/api/rows/{row}/approve", { params, body: { operations } });
      }
      return given.length;
    },
    onSettled: () => {
      onApproved();
      void review.refetch();
    },
  });
  return { review, approve };
}
