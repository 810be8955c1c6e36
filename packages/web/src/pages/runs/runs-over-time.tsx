import { RunsChart } from "../../ui/charts/runs-chart.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { formatExact } from "../../ui/text/format.ts";
import type { RunQuery } from "./run-filters.ts";
import styles from "./runs-over-time.module.css";
import { useRunCounts } from "./use-run-counts.ts";

type Props = {
  query: RunQuery;
  everyMs: number | undefined;
  onSelect: (span: { from: string; to: string }) => void;
};

/** The calls that match the filters by outcome, of the last day or the chosen time. */
export function RunsOverTime({ query, everyMs, onSelect }: Props) {
  const counts = useRunCounts(query, everyMs === undefined ? {} : { everyMs });
  return (
    <Loaded of={counts} what="The chart" skeleton={<PageSkeleton lines={1} height={150} />}>
      {(answer) => (
        <>
          <RunsChart summary={answer} onSelect={onSelect} />
          <CountedFrom at={"counted_from" in answer ? answer.counted_from : null} />
        </>
      )}
    </Loaded>
  );
}

/** Says that older calls are not in the chart. */
export function CountedFrom({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <p className={styles.note}>
      {`There are too many calls to count them all. Only those since ${formatExact(at)} are shown.`}
    </p>
  );
}
