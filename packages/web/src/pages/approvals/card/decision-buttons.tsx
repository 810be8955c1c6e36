import { Button } from "@mantine/core";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { KeyHint, useShortcut } from "../keys/key-hint.tsx";
import styles from "./decision-buttons.module.css";

export type Choice = "approved" | "denied";

type Props = {
  /** For screen readers, because the buttons stand at the top and at the bottom. */
  label: string;
  /** Whether Approve is filled. Those at the end are not while those at the top are there. */
  isLeading: boolean;
  /** The decision that is under way. */
  sending: Choice | null;
  /** False in the first moments of a card, when the press may still be meant for the one before. */
  isSettled: boolean;
  onDecide: (choice: Choice) => void;
  onComment: () => void;
};

/** Approve and Deny of one size, and the way to a comment. */
export function DecisionButtons(props: Props) {
  const { label, isLeading, sending, isSettled, onDecide, onComment } = props;
  const isSending = sending !== null;
  const shared = { disabled: isSending, "aria-disabled": isSending || !isSettled } as const;
  const decide = (choice: Choice) => isSettled && !isSending && onDecide(choice);
  return (
    <div className={styles.buttons} role="group" aria-label={label}>
      <Button
        {...shared}
        {...useShortcut("a")}
        className={styles.choice ?? ""}
        variant={isLeading ? "filled" : "default"}
        loading={sending === "approved"}
        onClick={() => decide("approved")}
      >
        Approve
        <KeyHint name="a" />
      </Button>
      <Button
        {...shared}
        {...useShortcut("d")}
        className={styles.choice ?? ""}
        variant="default"
        loading={sending === "denied"}
        onClick={() => decide("denied")}
      >
        Deny
        <KeyHint name="d" />
      </Button>
      <IconButton
        {...useShortcut("c")}
        className={styles.comment ?? ""}
        icon="message"
        label="Comment"
        onClick={onComment}
      />
    </div>
  );
}
