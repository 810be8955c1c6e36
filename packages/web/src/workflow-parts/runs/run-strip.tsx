import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { formatDuration, formatShort } from "../../ui/text/format.ts";
import { describeOutcomes } from "./describe-runs.ts";
import { runStateNames } from "./run-states.ts";
import styles from "./run-strip.module.css";

/** A run as a bar. */
type StripRun = { state: WorkflowRunState; at: string; tookMs: number | null };

type Props = {
  /** Newest first. */
  runs: readonly StripRun[];
  isLarge?: boolean;
};

/** How high the bars are, in parts of the strip: states differ also without colours. */
const heights: Readonly<Record<WorkflowRunState, number>> = {
  queued: 0.4,
  running: 0.75,
  waiting: 0.75,
  succeeded: 0.55,
  failed: 1,
  cancelled: 0.3,
  dropped: 0.3,
  unknown: 0.4,
};

/** The last runs as bars, the newest at the right. The pointer reads when each was and how it ended. */
export function RunStrip({ runs, isLarge = false }: Props) {
  if (runs.length === 0) return null;
  const [width, gap, height] = isLarge ? [11, 4, 36] : [3, 2, 18];
  const label = `The last ${runs.length === 1 ? "run" : `${runs.length} runs`}: ${describeOutcomes(runs)}`;
  return (
    <svg
      className={styles.strip}
      width={runs.length * (width + gap) - gap}
      height={height}
      role="img"
      aria-label={label}
    >
      {runs.toReversed().map(({ state, at, tookMs }, index) => {
        const high = Math.round(height * heights[state]);
        const took = tookMs === null ? "" : `, took ${formatDuration(tookMs)}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other names.
          <g key={index}>
            <title>{`${formatShort(at)}: ${runStateNames[state]}${took}`}</title>
            <rect
              className={styles.place}
              x={index * (width + gap)}
              width={width + gap}
              height={height}
            />
            <rect
              className={styles.bar}
              data-state={state}
              x={index * (width + gap)}
              y={height - high}
              width={width}
              height={high}
              rx={width / 4}
            />
          </g>
        );
      })}
    </svg>
  );
}
