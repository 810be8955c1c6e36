import type { RowState, RowStateName as StateName } from "@hub/contract/row-state.ts";
import { rowStateTexts } from "@hub/contract/row-state-texts.ts";
import { PathLink } from "../controls/path-link.tsx";
import { formatExact, formatNumber } from "../text/format.ts";
import { Hint, type Hinted } from "../text/hint.tsx";
import { IconBadge, type IconLook } from "./icon-badge.tsx";
import styles from "./row-state.module.css";

const looks: Readonly<Record<StateName, IconLook>> = {
  disabled: { icon: "stop", tone: "off" },
  needs_setup: { icon: "settings", tone: "warn" },
  needs_review: { icon: "eye", tone: "warn" },
  unreachable: { icon: "cloudOff", tone: "bad" },
  refused: { icon: "lock", tone: "bad" },
  failing: { icon: "warning", tone: "bad" },
  unused: { icon: "clock", tone: "off" },
  ready: { icon: "check", tone: "good" },
};

/** The name of a state of a row, with its icon. */
export function RowStateName({ name, waiting }: Pick<RowState, "name" | "waiting">) {
  return (
    <IconBadge {...looks[name]} data-row-state={name}>
      {rowStateTexts[name]}
      {name === "needs_review" && waiting !== undefined && ` (${formatNumber(waiting)})`}
    </IconBadge>
  );
}

/** The state of a row in one line: its name, the reason, and where it is mended. */
export function RowStateLine({ state }: { state: RowState }) {
  const { reason, fix } = state;
  const more = describeMore(state);
  const line = (
    <>
      <RowStateName {...state} />
      {reason !== null && <span className={styles.reason}>{reason}</span>}
    </>
  );
  const show = (hinted?: Hinted) =>
    fix === null ? (
      <span {...hinted} className={styles.line}>
        {line}
      </span>
    ) : (
      <PathLink {...hinted} className={styles.line} path={fix.path}>
        {line}
      </PathLink>
    );
  return more === "" ? show() : <Hint label={more}>{show}</Hint>;
}

function describeMore({ reason, since, fix }: RowState): string {
  const from = since === null ? null : `Since ${formatExact(since)}.`;
  return [reason, from, fix === null ? null : `${fix.text}.`].filter(Boolean).join(" ");
}
