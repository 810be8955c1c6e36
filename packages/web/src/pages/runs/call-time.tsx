import { formatAgo, formatExact } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import styles from "./runs-table.module.css";
import { useExactTimes } from "./use-exact-times.ts";

const clock = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});

/** When a call began: exact with the relative time on hover, or the other way. */
export function CallTime({ at }: { at: string }) {
  const [isExact] = useExactTimes();
  if (!isExact) return <TimeAgo at={at} />;
  return (
    <time
      className={styles.time}
      dateTime={at}
      title={`${formatAgo(at, Date.now())} · ${formatExact(at)}`}
    >
      {clock.format(new Date(at))}
    </time>
  );
}
