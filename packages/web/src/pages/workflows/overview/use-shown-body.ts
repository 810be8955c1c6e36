import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useApi } from "../../../api/use-api.ts";

/** The body that the overview draws: the published one, else the draft. */
export function useShownBody({ id, version, draft, body }: WorkflowDetail) {
  const isDraft = version === 0;
  const isSame = isDraft || draft?.is_published !== false;
  const published = useApi(
    "GET /manager/api/workflows/{workflow}/versions/{version}",
    { params: { workflow: id, version } },
    { isOn: !isSame },
  );
  return {
    isDraft,
    data: isSame ? { body } : published.data && { body: published.data.body },
    error: isSame ? null : published.error,
    refetch: published.refetch,
  };
}
