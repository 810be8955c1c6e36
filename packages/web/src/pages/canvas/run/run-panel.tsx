import { useState } from "react";
import { BottomPanel } from "../editor/bottom-panel.tsx";
import { LazyPart } from "../editor/lazy-part.tsx";
import { Outline } from "../editor/outline.tsx";
import type { Body } from "../graph/body.ts";
import styles from "./run.module.css";
import { StepList } from "./steps/step-list.tsx";
import type { ShownRun } from "./use-shown-run.ts";
import { needsAttention } from "./use-shown-run.ts";

const loadDiagnosis = () => import("./diagnosis.tsx");
const nothing = () => {};

type Props = {
  workflow: string;
  body: Body;
  shown: ShownRun;
  selected: ReadonlySet<string>;
  onGo: (node: string) => void;
};

/** What went wrong, the steps and the outline of a run. */
export function RunPanel({ workflow, body, shown, selected, onGo }: Props) {
  const { run } = shown;
  const canFail = needsAttention(shown);
  const [chosen, setBottom] = useState<"why" | "steps" | "outline" | null>();
  // What is wrong, until the user looks at something else.
  const bottom = chosen === undefined ? (canFail ? "why" : "steps") : chosen;
  return (
    <BottomPanel
      open={bottom}
      onOpen={setBottom}
      tabs={[
        ...(canFail
          ? [
              {
                name: "why" as const,
                label: run.state === "failed" ? "Why did it fail?" : "Why does it wait?",
                content: () => (
                  <div className={styles.why}>
                    <LazyPart load={loadDiagnosis} onFailed={nothing}>
                      {({ Diagnosis }) => (
                        <Diagnosis workflow={workflow} run={run.id} onGo={onGo} />
                      )}
                    </LazyPart>
                  </div>
                ),
              },
            ]
          : []),
        {
          name: "steps",
          label: "Steps",
          content: () => (
            <StepList body={body} steps={shown.steps} selected={selected} onGo={onGo} />
          ),
        },
        {
          name: "outline",
          label: "Outline",
          content: () => <Outline body={body} selected={selected} onGo={onGo} />,
        },
      ]}
    />
  );
}
