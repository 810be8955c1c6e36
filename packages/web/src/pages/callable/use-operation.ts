import type { ListedOperation } from "@hub/contract/row.ts";
import type { OperationForm } from "@hub/contract/row-settings.ts";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/use-api.ts";
import type { Reading } from "../../ui/page/loaded.tsx";
import type { ShownRow } from "../rows/shown-row.ts";

export type FoundOperation = { row: ShownRow; operation: ListedOperation; form: OperationForm };

/** An operation with its row and its inputs, all of which its page shows. */
export function useOperation(rowId: string, key: string): Reading<FoundOperation> {
  const row = useApi("GET /manager/api/rows/{row}", {
    params: { row: rowId },
    query: { operations: "none" },
  });
  const listed = useApi("GET /manager/api/rows/{row}/operations", {
    params: { row: rowId },
    query: { key, limit: 1 },
  });
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", {
    params: { row: rowId, operation: key },
  });
  const operation = listed.data?.operations.at(0);
  const isGone = listed.data !== undefined && operation === undefined;
  const data =
    row.data && form.data && operation ? { row: row.data, operation, form: form.data } : undefined;
  return {
    data,
    error: row.error ?? listed.error ?? form.error ?? (isGone ? toMissing() : null),
    refetch: () => Promise.all([row.refetch(), listed.refetch(), form.refetch()]),
  };
}

function toMissing(): ApiError {
  const error = "There is no such operation, or it is not shared with you.";
  return new ApiError({ error, code: "not_found" }, 404);
}
