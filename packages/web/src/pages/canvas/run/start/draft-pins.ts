import type { QueryClient } from "@tanstack/react-query";
import type { ApiClient } from "../../../../api/call-api.ts";
import { readAgain } from "../../../../api/read-again.ts";
import { useApi, useChange } from "../../../../api/use-api.ts";
import { useToast } from "../../../../ui/dialogs/toasts.tsx";

const pinsRoute = "GET /manager/api/workflows/{workflow}/pins";

/** The outputs of past runs that stand in for those of nodes in tests of the draft. The hub keeps them with it. */
export function usePins(workflow: string) {
  const { data } = useApi(pinsRoute, { params: { workflow } });
  const toast = useToast();
  const options = {
    refreshes: [pinsRoute],
    onFailed: ({ message }: { message: string }) => toast({ kind: "error", text: message }),
  } as const;
  const put = useChange("PUT /manager/api/workflows/{workflow}/pins/{node}", options);
  const end = useChange("DELETE /manager/api/workflows/{workflow}/pins/{node}", options);
  return {
    /** The ids of the nodes. */
    pinned: (data?.pins ?? []).map(({ node_id: node }) => node),
    isBusy: put.isPending || end.isPending,
    /** Pins the output that a node gave in a run. */
    pin: (node: string, run: string) => put.run({ params: { workflow, node }, body: { run } }),
    unpin: (node: string) => end.run({ params: { workflow, node } }),
  };
}

type Moved = { workflow: string; from: string; to: string };

/** Keeps the pin of a node that gets another id. The next save of the draft removes that of the id before. */
export async function movePin(
  api: ApiClient,
  queries: QueryClient,
  { workflow, from, to }: Moved,
): Promise<void> {
  const { pins } = await api.call(pinsRoute, { params: { workflow } });
  if (!pins.some(({ node_id: node }) => node === from)) return;
  await api.call("PUT /manager/api/workflows/{workflow}/pins/{node}", {
    params: { workflow, node: to },
    body: { node: from },
  });
  await readAgain(queries, [pinsRoute]);
}
