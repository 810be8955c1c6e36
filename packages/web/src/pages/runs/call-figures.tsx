import type { CallFigures } from "@hub/contract/call-figures.ts";
import { Loaded, type Reading } from "../../ui/page/loaded.tsx";
import { formatDuration, formatExact, formatNumber, formatShare } from "../../ui/text/format.ts";
import styles from "./call-figures.module.css";

/** What the calls that match the filters amount to. */
export function CallFiguresLine({ of }: { of: Reading<CallFigures> }) {
  return (
    <Loaded of={of} what="The figures" skeleton={<Figures of={null} />}>
      {(figures) => <Figures of={figures} />}
    </Loaded>
  );
}

function Figures({ of }: { of: CallFigures | null }) {
  const time = (ms: number | null | undefined) => (ms == null ? "–" : formatDuration(ms));
  const share = of?.error_rate == null ? "–" : formatShare(of.error_rate);
  return (
    <dl className={styles.figures}>
      <Figure name="Calls" value={of === null ? "–" : formatNumber(of.calls)} />
      <Figure name="Errors" value={of === null ? "–" : formatNumber(of.errors)} />
      <Figure name="Error rate" value={share} />
      <Figure name="Median time" value={time(of?.p50_ms)} />
      <Figure name="95% within" value={time(of?.p95_ms)} />
      <Figure name="99% within" value={time(of?.p99_ms)} />
      {of !== null && of.running > 0 && <Figure name="Running" value={formatNumber(of.running)} />}
      {of?.counted_from != null && (
        <div className={styles.since}>
          {`Of the newest ${formatNumber(of.calls + of.running)} calls, since ${formatExact(of.counted_from)}`}
        </div>
      )}
    </dl>
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
