import type { WorkflowRunDetail, WorkflowStep } from "@hub/contract/workflow-run.ts";
import { Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { JsonTree } from "../../../../ui/json/json-tree.tsx";
import { Properties } from "../../../../ui/page/properties.tsx";
import { formatDuration, formatExact, formatNumber } from "../../../../ui/text/format.ts";
import { StepBadge } from "../../../workflows/runs/step-badge.tsx";
import type { Item } from "../../graph/body.ts";
import styles from "../run.module.css";
import { usePins } from "../start/draft-pins.ts";

type Props = {
  run: WorkflowRunDetail;
  item: Item | null;
  id: string;
  steps: readonly WorkflowStep[];
};

/** What a node did in a run: state, time, tries, its rendered fields and its output. */
export function StepDetails({ run, item, id, steps }: Props) {
  const [index, setIndex] = useState<number | null>(null);
  if (id === run.trigger_id) return <JsonTree value={run.event} label="Event" />;
  const step =
    steps.find((one) => one.item === index) ?? steps.find((one) => one.item === null) ?? steps[0];
  if (step === undefined) return <p className={styles.soft}>This run has not reached this step.</p>;
  const items = steps.filter((one) => one.item !== null);
  // The decision of a person that a step failed is its error and its warning.
  const isNews = (warning: string) => warning !== step.error?.message;
  return (
    <>
      {items.length > 0 && (
        <NativeSelect
          mb="sm"
          label="Item"
          value={String(step.item ?? "")}
          data={[
            { value: "", label: `All ${formatNumber(items.length)} items` },
            ...items.slice(0, 1000).map((one) => ({
              value: String(one.item),
              label: `Item ${one.item}: ${one.state}`,
            })),
          ]}
          onChange={({ currentTarget: { value } }) => setIndex(value === "" ? null : Number(value))}
        />
      )}
      {step.error !== null && (
        <div className={styles.error} role="alert">
          <Icon name="warning" />
          <span>
            {step.error.message} <code>{step.error.code}</code>
          </span>
        </div>
      )}
      {step.warnings.filter(isNews).map((warning) => (
        <p key={warning} className={styles.warning}>
          {warning}
        </p>
      ))}
      {describeFlags(step).map((line) => (
        <p key={line} className={styles.flag}>
          {line}
        </p>
      ))}
      <Properties
        items={[
          ["State", <StepBadge key="state" state={step.state} />],
          ["Went along", step.case],
          ["Started", step.started_at !== null && formatExact(step.started_at)],
          ["Took", toDuration(step)],
          ["Tries", formatNumber(step.tries)],
          ["Waits until", step.wake_at !== null && formatExact(step.wake_at)],
          ["Approval", toApprovalLink(step, item)],
          ["Asked about", toAskedLink(step)],
          ["Call", toCallLink(step)],
          ["Other run", toChildLink(step, item)],
        ]}
      />
      <h3 className={styles.heading}>
        {step.would_call ? "What it would send" : "Rendered fields"}
      </h3>
      <JsonTree value={step.input} label="Rendered fields" />
      <h3 className={styles.heading}>Output</h3>
      <JsonTree value={step.output} label="Output" />
      {step.item === null && step.state === "succeeded" && (
        <PinButton workflow={run.workflow_id} run={run.id} node={step.node_id} />
      )}
    </>
  );
}

/** What is unusual about a step: it was a dry run, or another run or a person gave its end. */
function describeFlags(step: WorkflowStep): string[] {
  return [
    ...(step.would_call
      ? ["Would call: nothing was sent. This is what a live run would send."]
      : []),
    ...(step.skip_reason === "disabled"
      ? [
          "The node is switched off: it ran nothing, and passed on the output of the node before it.",
        ]
      : []),
    ...(step.state === "unknown"
      ? ["What it would return is not known, so nothing that follows from it ran. Pin an output."]
      : []),
    ...(step.is_pinned ? ["Its output is a pinned one, or that of a past run."] : []),
    ...(step.is_taken_over
      ? ["Taken over from the run that this one resumes. It did not run again."]
      : []),
    ...(step.may_have_happened ? ["The outside system may have carried it out."] : []),
  ];
}

/** Lets tests of the draft use the output of this step instead of running the node. */
function PinButton({ workflow, run, node }: { workflow: string; run: string; node: string }) {
  const { pinned, pin, unpin, isBusy } = usePins(workflow);
  const isPinned = pinned.includes(node);
  return (
    <Button
      mt="sm"
      size="compact-sm"
      variant="default"
      loading={isBusy}
      onClick={() => (isPinned ? unpin(node) : pin(node, run))}
    >
      {isPinned ? "Remove the pinned output" : "Use this output in tests"}
    </Button>
  );
}

function toDuration({ started_at: start, ended_at: end }: WorkflowStep): string | null {
  if (start === null || end === null) return null;
  return formatDuration(Date.parse(end) - Date.parse(start));
}

/** To what the step asks, and who has decided. */
function toApprovalLink({ input, state }: WorkflowStep, item: Item | null): ReactNode {
  const { approval_id: approval } = Object(input);
  if (item?.type !== "approval" || typeof approval !== "string") return null;
  return (
    <Link to="/approvals/$approval" params={{ approval }}>
      {state === "waiting" ? "Decide it" : "What was decided"}
    </Link>
  );
}

/** The call about which people are asked before it runs. */
function toAskedLink({ pending_call_id: call, state }: WorkflowStep): ReactNode {
  if (call === null) return null;
  return (
    <Link to="/approvals/calls/$call" params={{ call }}>
      {state === "waiting" ? "Who is asked" : "What was decided"}
    </Link>
  );
}

function toCallLink({ call_run_id: run }: WorkflowStep): ReactNode {
  if (run === null) return null;
  return (
    <Link to="/manager/runs/$run" params={{ run }}>
      Recorded call
    </Link>
  );
}

function toChildLink({ child_run_id: run }: WorkflowStep, item: Item | null): ReactNode {
  if (run === null || typeof item?.workflow_id !== "string") return null;
  return (
    <Link to="/workflows/$workflow/runs/$run" params={{ workflow: item.workflow_id, run }}>
      Run of the other workflow
    </Link>
  );
}
