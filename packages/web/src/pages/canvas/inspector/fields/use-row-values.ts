import { useMemo } from "react";
import { useApiClient } from "../../../../api/use-api.ts";
import type { FormHost } from "../../../../form/form-host.ts";

/** Values by key that fields of a row edit, with the look-ups of its pickers. */
export function useRowValues(row: string, value: unknown, onValue: (value: unknown) => void) {
  const api = useApiClient();
  const host = useMemo<FormHost>(
    () => ({
      version: 0,
      lookUp: (source, q) =>
        api.call("GET /manager/api/rows/{row}/lookup", { params: { row }, query: { source, q } }),
    }),
    [api, row],
  );
  const values: Readonly<Record<string, unknown>> = Object(value);
  return {
    host,
    values,
    /** Undefined removes the value. */
    set(key: string, next: unknown) {
      const entries = Object.entries({ ...values, [key]: next });
      onValue(Object.fromEntries(entries.filter(([, one]) => one !== undefined)));
    },
  };
}
