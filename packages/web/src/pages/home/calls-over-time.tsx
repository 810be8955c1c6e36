import type { Overview } from "@hub/contract/overview.ts";
import { SegmentedControl } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { RunsChart } from "../../ui/charts/runs-chart.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded, type Reading } from "../../ui/page/loaded.tsx";
import { formatDuration, formatNumber } from "../../ui/text/format.ts";
import { CountedFrom } from "../runs/runs-over-time.tsx";
import styles from "./home.module.css";
import { CallsSkeleton } from "./home-skeleton.tsx";

export type Span = "day" | "week";

type Props = { of: Reading<Overview>; span: Span; onSpan: (span: Span) => void };

/** Calls and errors of the last day or week: of all users for admins, one's own for others. A span of the chart opens its calls. */
export function CallsOverTime({ of, span, onSpan }: Props) {
  const navigate = useNavigate();
  return (
    <Card
      title="Calls"
      actions={
        <SegmentedControl
          aria-label="Time"
          size="xs"
          value={span}
          onChange={(value) => onSpan(value === "week" ? "week" : "day")}
          data={[
            { value: "day", label: "Day" },
            { value: "week", label: "Week" },
          ]}
        />
      }
    >
      <Loaded of={of} what="The chart" skeleton={<CallsSkeleton />}>
        {(answer) => (
          <>
            <dl className={styles.figures}>
              <Figure name="Calls" value={formatNumber(answer.calls)} />
              <Figure name="Errors" value={formatNumber(answer.errors)} />
              <Figure name="Error rate" value={toShare(answer.errors, answer.calls)} />
              <Figure name="Denied" value={formatNumber(answer.denied)} />
              <Figure
                name="Mean time"
                value={
                  answer.mean_latency_ms === null ? "–" : formatDuration(answer.mean_latency_ms)
                }
              />
              <Figure name="Running" value={formatNumber(answer.running)} />
            </dl>
            <RunsChart
              summary={answer}
              onSelect={(search) => void navigate({ to: "/manager/runs", search })}
            />
            <CountedFrom at={answer.counted_from} />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** "2.5%"; a dash without calls. */
export function toShare(part: number, whole: number): string {
  return whole === 0 ? "–" : `${formatNumber((100 * part) / whole)}%`;
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
