import type { WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import { useEffect, useRef } from "react";
import { formatDuration } from "../../../../ui/text/format.ts";
import { StepBadge } from "../../../workflows/runs/step-badge.tsx";
import look from "../../editor/bottom-panel.module.css";
import { type Body, findItem } from "../../graph/body.ts";
import { toTitle } from "../../graph/describe-item.ts";

type Props = {
  body: Body;
  steps: readonly WorkflowStepEvent[];
  selected: ReadonlySet<string>;
  onGo: (id: string) => void;
};

const shownMax = 1000;

/** The steps of a run in their order. A click goes to the node. */
export function StepList({ body, steps, selected, onGo }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const [shown] = selected.size === 1 ? selected : [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected step is what triggers it.
  useEffect(() => {
    const current = list.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  const nodes = steps.filter(({ item }) => item === null).slice(0, shownMax);
  if (nodes.length === 0) return <p className={look.soft}>The run has no step yet.</p>;
  return (
    <ol className={look.list} aria-label="Steps" ref={list}>
      {nodes.map((step) => {
        const item = findItem(body, step.node_id);
        const isSelected = selected.has(step.node_id) || undefined;
        return (
          <li key={step.node_id}>
            <button type="button" aria-current={isSelected} onClick={() => onGo(step.node_id)}>
              <StepBadge state={step.state} />
              <span className={look.strong}>
                {item === null ? step.node_id : toTitle(item, false)}
              </span>
              <span className={look.took}>
                {step.started_at !== null &&
                  step.ended_at !== null &&
                  formatDuration(Date.parse(step.ended_at) - Date.parse(step.started_at))}
              </span>
              <span>{step.error?.message ?? step.case ?? ""}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}
