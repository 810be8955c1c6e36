import { Button } from "@mantine/core";
import { formatNumber } from "../../../ui/text/format.ts";
import styles from "./review.module.css";

type Props = {
  chosen: ReadonlySet<string>;
  /** Whether those that are shown are hidden ones. */
  isHidden: boolean;
  /** Whether all that are chosen can be hidden. */
  mayHide: boolean;
  isBusy: boolean;
  onApprove: (reads: boolean) => void;
  onHide: (hidden: boolean) => void;
  onClear: () => void;
};

/** What can be done with the lines that are chosen. It keeps its place, so that nothing jumps. */
export function ChosenBar(props: Props) {
  const { chosen, isHidden, mayHide, isBusy, onApprove, onHide, onClear } = props;
  const isNone = chosen.size === 0;
  return (
    <div className={styles.chosen} role="group" aria-label="Chosen operations">
      <span role="status">{isNone ? "None chosen" : `${formatNumber(chosen.size)} chosen`}</span>
      <Button
        size="xs"
        disabled={isNone || isBusy}
        variant="default"
        onClick={() => onApprove(false)}
      >
        Approve chosen
      </Button>
      <Button
        size="xs"
        disabled={isNone || isBusy}
        variant="default"
        title="Also marks them as operations that only read"
        onClick={() => onApprove(true)}
      >
        Approve as reading
      </Button>
      <Button
        size="xs"
        disabled={isNone || isBusy || !mayHide}
        variant="default"
        title="They stay unapproved, and out of the review"
        onClick={() => onHide(!isHidden)}
      >
        {isHidden ? "Show again" : "Hide"}
      </Button>
      {!isNone && (
        <Button size="xs" variant="subtle" onClick={onClear}>
          Choose none
        </Button>
      )}
      <span className={styles.keys}>
        Keys: <kbd>j</kbd> <kbd>k</kbd> move, <kbd>space</kbd> chooses, <kbd>a</kbd> approves
      </span>
    </div>
  );
}
