import { Button, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./plugin-progress.module.css";
import { type Phase, type PluginWork, phaseNames, phasesOf } from "./plugin-work.ts";

type Props = {
  work: PluginWork | null;
  /** Buttons that repair a failure. */
  repairs?: ReactNode;
  onHide: () => void;
};

/** The phases of an installation or update as they happen, or the reason why it failed. */
export function PluginProgress({ work, repairs, onHide }: Props) {
  if (work === null) return null;
  if (work.state === "failed") {
    return (
      <div className={styles.work} role="alert">
        <div className={styles.failure}>
          <div>
            <strong>{`${work.action} failed.`}</strong>
            <p>{work.error.message}</p>
          </div>
          <div className={styles.buttons}>
            {repairs}
            <Button variant="default" size="xs" onClick={onHide}>
              Close
            </Button>
          </div>
        </div>
      </div>
    );
  }
  const phases = phasesOf[work.action];
  if (phases === undefined) return null;
  const progress = work.state === "done" ? { phase: "done" as const } : work.progress;
  return (
    <div className={styles.work}>
      <VisuallyHidden role="status">
        {progress === null ? "Starting" : phaseNames[progress.phase]}
      </VisuallyHidden>
      <Phases phases={phases} progress={progress} />
    </div>
  );
}

type PhasesProps = {
  phases: readonly Phase[];
  progress: { phase: Phase; percent?: number | undefined } | null;
};

function Phases({ phases, progress }: PhasesProps) {
  const at = progress === null ? -1 : phases.indexOf(progress.phase);
  return (
    <ol className={styles.phases}>
      {phases.map((phase, index) => (
        <li
          key={phase}
          data-state={index < at ? "past" : undefined}
          aria-current={index === at ? "step" : undefined}
        >
          {phaseNames[phase]}
          {index === at && progress?.percent !== undefined
            ? ` ${Math.floor(progress.percent)} %`
            : ""}
        </li>
      ))}
    </ol>
  );
}
