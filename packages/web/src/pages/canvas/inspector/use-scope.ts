import { useMemo, useState } from "react";
import { listSamples } from "../expressions/list-samples.ts";
import { isTrigger } from "../graph/body.ts";
import { usePreview } from "./inputs/use-preview.ts";
import type { InspectorProps } from "./inspector.tsx";
import type { InspectorScope } from "./inspector-context.ts";
import { useLastRun } from "./use-last-run.ts";
import { createInsertTargets } from "./values/insert-targets.ts";

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
