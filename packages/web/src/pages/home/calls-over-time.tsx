import type { RunCounts, RunSummary } from "@hub/contract/run-history.ts";
import { SegmentedControl } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { RunsChart } from "../../ui/charts/runs-chart.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { formatDuration, formatNumber } from "../../ui/text/format.ts";
import { CountedFrom } from "../runs/runs-over-time.tsx";
import { useRunCounts } from "../runs/use-run-counts.ts";
import styles from "./home.module.css";

const weekMs = 7 * 24 * 3_600_000;
/** The hub counts calls some seconds after they end. */
const everyMs = 15_000;

/** Calls and errors of the last day or week: of all users for admins, one's own for others. A span of the chart opens its calls. */
export function CallsOverTime() {
  const navigate = useNavigate();
  const [span, setSpan] = useState("day");
  const query = useMemo(
    () => (span === "day" ? {} : { from: new Date(Date.now() - weekMs).toISOString() }),
    [span],
  );
  const counts = useRunCounts(query, { everyMs });
  return (
    <Card
      title="Calls"
      actions={
        <SegmentedControl
          aria-label="Time"
          size="xs"
          value={span}
          onChange={setSpan}
          data={[
            { value: "day", label: "Day" },
            { value: "week", label: "Week" },
          ]}
        />
      }
    >
      <Loaded of={counts} what="The chart" skeleton={<PageSkeleton lines={1} height={190} />}>
        {(answer) => {
          const { runs, errors, denied, meanMs } = toFigures(answer);
          return (
            <>
              <dl className={styles.figures}>
                <Figure name="Calls" value={formatNumber(runs)} />
                <Figure name="Errors" value={formatNumber(errors)} />
                <Figure name="Denied" value={formatNumber(denied)} />
                {meanMs !== null && <Figure name="Mean time" value={formatDuration(meanMs)} />}
                <Figure name="Running" value={formatNumber(answer.running)} />
              </dl>
              <RunsChart
                summary={answer}
                onSelect={(search) => void navigate({ to: "/manager/runs", search })}
              />
              <CountedFrom at={"counted_from" in answer ? answer.counted_from : null} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function toFigures(answer: RunCounts | RunSummary) {
  const sum = (status: "error" | "denied") =>
    answer.series.reduce((all, { by_status }) => all + (by_status[status] ?? 0), 0);
  const figures = { errors: sum("error"), denied: sum("denied") };
  return "total" in answer
    ? { ...figures, runs: answer.total.runs, meanMs: answer.total.mean_latency_ms }
    : { ...figures, runs: answer.runs, meanMs: null };
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
