import type { IconName } from "@hub/contract/icons.ts";
import type { ReactNode } from "react";
import { Icon } from "../controls/icon.tsx";
import styles from "./icon-badge.module.css";

/** How a state looks. */
export type IconLook = { icon: IconName; tone: "good" | "warn" | "bad" | "off" };

type Props = IconLook & { children: ReactNode; "data-row-state"?: string };

/** A state that differs from others by its icon and its word, not only by its colour. */
export function IconBadge({ icon, tone, children, ...rest }: Props) {
  return (
    <span {...rest} className={`${styles.badge} ${styles[tone]}`}>
      <Icon name={icon} />
      {children}
    </span>
  );
}
