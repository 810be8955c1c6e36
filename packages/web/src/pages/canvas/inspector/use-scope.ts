import { useMemo, useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { listSamples } from "../expressions/list-samples.ts";
import { isTrigger } from "../graph/body.ts";
import { usePreview } from "./inputs/use-preview.ts";
import type { InspectorProps } from "./inspector.tsx";
import type { InspectorScope } from "./inspector-context.ts";
import { createInsertTargets } from "./values/insert-targets.ts";

/** The last runs among which one is looked for that ran more than one node. */
const runsMax = 10;
const askEveryMs = 3_000;

/**
 * The run that is shown, or else the last one. With `isFollowed` it asks again while someone looks, since a run is also
 * started elsewhere, such as by a request to the test address, and a run that goes on gives more values.
 */
export function useLastRun(workflow: string, shown: string | null, isFollowed = false) {
  const { data: runs } = useApi(
    "GET /manager/api/workflows/{workflow}/runs",
    { params: { workflow }, query: { limit: runsMax } },
    { isOn: shown === null, ...(isFollowed && { everyMs: askEveryMs }) },
  );
  const found = runs?.runs.find(({ mode }) => mode !== "node") ?? runs?.runs[0];
  const run = shown ?? found?.id ?? null;
  const { data: last = null } = useApi(
    "GET /manager/api/workflows/{workflow}/runs/{run}",
    { params: { workflow, run: run ?? "" } },
    {
      isOn: run !== null,
      everyMs: (read) => (isFollowed && read?.ended_at === null ? askEveryMs : undefined),
    },
  );
  return { run, last };
}

type Props = Pick<
  InspectorProps,
  "workflow" | "body" | "item" | "secrets" | "run" | "unread" | "onRun" | "isWide"
>;

/** What the fields of an item are about: the item, and the values of the run that is shown or was last. */
export function useScope(props: Props): InspectorScope {
  const { workflow, body, item, secrets, run: shown, unread, onRun, isWide } = props;
  const [targets] = useState(createInsertTargets);
  const { run, last } = useLastRun(workflow, shown);
  const forEach = typeof item.for_each === "string" ? item.for_each : null;
  const { data: items } = usePreview(workflow, run, forEach);
  const first = Array.isArray(items?.value) ? items.value[0] : undefined;
  const samples = useMemo(
    () => listSamples({ body, item, secrets, run: last, first }),
    [body, item, secrets, last, first],
  );
  return {
    workflow,
    body,
    item,
    isTrigger: isTrigger(body, item.id),
    secrets,
    shown,
    run,
    last,
    samples,
    unread,
    targets,
    isWide,
    onRun,
  };
}
