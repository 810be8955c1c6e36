import { SegmentedControl } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../ui/card.tsx";
import { formatDuration, formatNumber } from "../../ui/format.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { RunsChart } from "../../ui/runs-chart.tsx";
import styles from "./home.module.css";

const weekMs = 7 * 24 * 3_600_000;
const everyMs = 60_000;

/** Calls and errors of the last day or week. A span of the chart opens its runs. */
export function CallsOverTime() {
  const navigate = useNavigate();
  const [span, setSpan] = useState("day");
  const query = useMemo(
    () => (span === "day" ? {} : { from: new Date(Date.now() - weekMs).toISOString() }),
    [span],
  );
  const summary = useApi("GET /manager/api/runs/summary", { query }, { everyMs });
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
      <Loaded of={summary} what="The chart" skeleton={<PageSkeleton lines={1} height={190} />}>
        {(answer) => {
          const { runs, by_status, mean_latency_ms } = answer.total;
          return (
            <>
              <dl className={styles.figures}>
                <Figure name="Calls" value={formatNumber(runs)} />
                <Figure name="Errors" value={formatNumber(by_status.error ?? 0)} />
                <Figure name="Denied" value={formatNumber(by_status.denied ?? 0)} />
                <Figure
                  name="Mean time"
                  value={mean_latency_ms === null ? "–" : formatDuration(mean_latency_ms)}
                />
                <Figure name="Running" value={formatNumber(answer.running)} />
              </dl>
              <RunsChart
                summary={answer}
                onSelect={(search) => void navigate({ to: "/manager/runs", search })}
              />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
