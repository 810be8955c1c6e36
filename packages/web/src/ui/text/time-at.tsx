import { formatAgo, formatExact, formatShort } from "./format.ts";
import { Hint } from "./hint.tsx";
import { Ago } from "./time-ago.tsx";
import styles from "./time-at.module.css";

type Props = {
  at: string;
  /** Shows how long ago it was, and the time itself on hover and focus. */
  isRelative?: boolean;
};

/** A time, for tables and logs. How long ago it was, and the zone, are said on hover and on keyboard focus. */
export function TimeAt({ at, isRelative = false }: Props) {
  return (
    <Hint label={<WholeTime at={at} />}>
      {(hinted) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what the pointer reads, the keyboard must reach.
        <time {...hinted} className={styles.time} dateTime={at} tabIndex={0}>
          {isRelative ? <Ago at={at} /> : formatShort(at)}
        </time>
      )}
    </Hint>
  );
}

/** Rendered when it is shown, so that it is true then. */
function WholeTime({ at }: { at: string }) {
  return `${formatAgo(at, Date.now())} · ${formatExact(at)}`;
}
