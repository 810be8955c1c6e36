import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ApiError } from "../../../../api/api-error.ts";
import type { Answer } from "../../../../api/call-api.ts";
import { useApiClient } from "../../../../api/use-api.ts";

const previewRoute = "POST /manager/api/workflows/{workflow}/preview";

/** The value of a template in a run. Asks nothing without a run or a template. */
export function usePreview(workflow: string, run: string | null, template: string | null) {
  const api = useApiClient();
  return useQuery<Answer<typeof previewRoute>, ApiError>({
    queryKey: ["preview", workflow, run, template],
    enabled: run !== null && template !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const body = { template: template ?? "", ...(run !== null && { run }) };
      return api.call(previewRoute, { params: { workflow }, body }, signal);
    },
  });
}
