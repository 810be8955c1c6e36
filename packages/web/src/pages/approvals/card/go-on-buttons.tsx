import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { KeyHint, useShortcut } from "../keys/key-hint.tsx";
import styles from "./decision-buttons.module.css";

type Props = {
  label: string;
  /** Whether the button is filled: see `DecisionButtons`. */
  isLeading: boolean;
  onNext: (() => void) | null;
};

/** In the place of the decision, if there is none to take: the next one, else the list. */
export function GoOnButtons({ label, isLeading, onNext }: Props) {
  const shortcut = useShortcut("j");
  return (
    <div className={styles.buttons} role="group" aria-label={label}>
      {onNext === null ? (
        <Link to="/approvals" className={styles.back}>
          Back to the list
        </Link>
      ) : (
        <Button
          {...shortcut}
          className={`${styles.choice} ${styles.next}`}
          variant={isLeading ? "filled" : "default"}
          onClick={onNext}
        >
          Next one
          <KeyHint name="j" />
        </Button>
      )}
    </div>
  );
}
