import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import { useEffect, useMemo } from "react";
import { useApi } from "../../../../api/use-api.ts";
import type { useDraft } from "./use-draft.ts";

/** The workflow as it is now, with the names of its secrets. A draft is checked again when one is set. */
export function useLatestWorkflow(
  workflow: WorkflowDetail,
  { check }: Pick<ReturnType<typeof useDraft>, "check">,
) {
  const { data: latest = workflow } = useApi("GET /manager/api/workflows/{workflow}", {
    params: { workflow: workflow.id },
  });
  const secrets = useMemo(() => (latest.secrets ?? []).map(({ name }) => name), [latest.secrets]);
  const setSecrets = (latest.secrets ?? []).filter((one) => one.is_set).map(({ name }) => name);
  // At first, and when a secret is set: the missing one was a problem.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are what triggers it.
  useEffect(() => void check().catch(() => {}), [check, setSecrets.join()]);
  return { latest, secrets };
}
