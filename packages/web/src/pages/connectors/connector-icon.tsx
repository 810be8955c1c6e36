import type { IconName } from "@hub/contract/icons.ts";
import type { CSSProperties } from "react";
import { Icon } from "../../ui/controls/icon.tsx";
import styles from "./connector-icon.module.css";

/** Words in the names of icons that authors choose, with the icon for each. */
const known: ReadonlyArray<readonly [word: string, icon: IconName]> = [
  ["hub", "connect"],
  ["world", "globe"],
  ["globe", "globe"],
  ["git", "branch"],
  ["workflow", "branch"],
  ["bug", "bug"],
  ["ticket", "tag"],
  ["database", "database"],
  ["file", "file"],
  ["mail", "mail"],
  ["message", "message"],
  ["chat", "message"],
  ["cloud", "cloud"],
  ["search", "search"],
  ["user", "users"],
  ["calendar", "clock"],
  ["key", "key"],
];

type Props = {
  connector: { key: string; name: string; icon: string };
  /** Small ones stand in the lines of tables. */
  size?: "small";
};

/** The connector's icon, or its first letter if the hub does not have the icon. */
export function ConnectorIcon({ connector: { key, name, icon }, size }: Props) {
  const found = known.find(([word]) => icon.toLowerCase().includes(word))?.[1];
  const hue: CSSProperties & Record<"--hue", number> = { "--hue": toHue(key) };
  return (
    <span className={styles.icon} data-size={size} style={hue} aria-hidden="true">
      {found === undefined ? toLetter(name) : <Icon name={found} />}
    </span>
  );
}

function toLetter(name: string): string {
  return (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "?").toUpperCase();
}

function toHue(key: string): number {
  let sum = 7;
  for (const char of key.slice(0, 64)) sum = (sum * 31 + char.charCodeAt(0)) % 360;
  return sum;
}
