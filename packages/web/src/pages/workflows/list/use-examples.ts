import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import { useEffect, useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { askLayouts } from "../../canvas/ask-layout.ts";
import { readBody } from "../../canvas/graph/body.ts";
import { toLayoutInput } from "../../canvas/graph/flow.ts";
import type { LayoutOutput } from "../../canvas/graph/layout-graph.ts";

/** An example with where its steps are drawn; undefined until that is known. */
export type DrawnExample = WorkflowExample & { layout: LayoutOutput | undefined };

/** The workflows to start from. One worker places the steps of all. */
export function useExamples({ isOn = true }: { isOn?: boolean } = {}) {
  const read = useApi("GET /manager/api/workflow-examples", {}, { isOn });
  const [layouts, setLayouts] = useState<ReadonlyArray<LayoutOutput | null>>([]);
  const found = read.data?.examples;
  useEffect(() => {
    if (found === undefined) return;
    let isCurrent = true;
    const inputs = found.map(({ body }) => {
      const drawn = readBody(body);
      return drawn === null ? { nodes: [], links: [] } : toLayoutInput(drawn);
    });
    void askLayouts(inputs).then((given) => {
      if (isCurrent) setLayouts(given);
    });
    return () => {
      isCurrent = false;
    };
  }, [found]);
  const examples = found?.map((one, at): DrawnExample => {
    return { ...one, layout: layouts[at] ?? undefined };
  });
  return { ...read, data: examples };
}
