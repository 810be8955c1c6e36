import { Tooltip } from "@mantine/core";
import { formatAgo, formatExact, formatShort } from "./format.ts";
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
    <Tooltip
      label={<WholeTime at={at} />}
      events={{ hover: true, focus: true, touch: false }}
      // The cells of a table cut what overflows, and outside of the page's landmarks it would be lost.
      portalProps={{ target: "main" }}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what the pointer reads, the keyboard must reach. */}
      <time className={styles.time} dateTime={at} tabIndex={0}>
        {isRelative ? <Ago at={at} /> : formatShort(at)}
      </time>
    </Tooltip>
  );
}

/** Rendered when it is shown, so that it is true then. */
function WholeTime({ at }: { at: string }) {
  return `${formatAgo(at, Date.now())} · ${formatExact(at)}`;
}
