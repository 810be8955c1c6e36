import type { IconName } from "@hub/contract/icons.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { Change } from "../graph/flow.ts";
import styles from "./change-badge.module.css";
import unseen from "./unseen.module.css";

export const changeNames: Readonly<Record<Change, string>> = {
  added: "Added",
  removed: "Removed",
  changed: "Changed",
};
const icons: Readonly<Record<Change, IconName>> = {
  added: "plus",
  removed: "minus",
  changed: "edit",
};

/** What a newer body did to a part, as a word and a sign, because colours alone are not seen by all. */
export function ChangeBadge({ change, isShort = false }: { change: Change; isShort?: boolean }) {
  return (
    <span className={styles.change} data-change={change} data-short={isShort || undefined}>
      <Icon name={icons[change]} />
      {isShort ? <span className={unseen.unseen}>{changeNames[change]}</span> : changeNames[change]}
    </span>
  );
}
