import { useMemo } from "react";
import { useApiClient } from "../api/use-api.ts";
import type { FormField } from "../form/field-form.ts";
import type { FormHost } from "../form/form-host.ts";
import type { WidgetClick } from "../form/html/html-widget.tsx";

/** What the inputs of an operation ask of the server: look-ups and widgets. */
export function useInputHost(row: string, operation: string): FormHost {
  const api = useApiClient();
  return useMemo(
    () => ({
      version: 0,
      lookUp: (source: string, q: string) =>
        api.call("GET /manager/api/rows/{row}/lookup", {
          params: { row },
          query: { source, q },
        }),
      widget: ({ key }: Pick<FormField, "key">, value: string, click?: WidgetClick) =>
        api.call("POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget", {
          params: { row, operation, input: key },
          body: { value, ...click },
        }),
    }),
    [api, row, operation],
  );
}
