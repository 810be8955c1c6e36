import styles from "./keys.module.css";
import { useKeysOn } from "./use-keys.ts";

/** The key of a button, small on it. Screen readers get it by `aria-keyshortcuts`. */
export function KeyHint({ name }: { name: string }) {
  const [isOn] = useKeysOn();
  return isOn ? (
    <span className={styles.hint} aria-hidden="true">
      {name}
    </span>
  ) : null;
}

/** For a button that has a key. */
export function useShortcut(name: string): { "aria-keyshortcuts"?: string } {
  const [isOn] = useKeysOn();
  return isOn ? { "aria-keyshortcuts": name } : {};
}
