import type { ReactNode, Ref } from "react";
import { DestructiveBadge } from "../../../ui/badges/destructive-badge.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { ReviewLine } from "./review-line.ts";
import styles from "./review-table.module.css";

type Props = {
  ref: Ref<HTMLDivElement>;
  line: ReviewLine;
  index: number;
  startPx: number;
  isChosen: boolean;
  /** Whether keys act on it. */
  isCurrent: boolean;
  onToggle: (isRange: boolean) => void;
  onApprove?: () => void;
  isBusy: boolean;
  /** What it shows when it is unfolded; null while it is not. */
  detail?: ReactNode;
  onUnfold?: () => void;
};

/** One line of the review, and what it shows when it is unfolded. */
export function ReviewRow(props: Props) {
  const { ref, line, index, startPx, isChosen, isCurrent, onToggle, onApprove, isBusy } = props;
  const { detail, onUnfold } = props;
  const { key, hint, name, description, change, isDestructive, warnings, isOpen } = line;
  const isUnfolded = detail !== undefined && detail !== null;
  return (
    <div
      ref={ref}
      role="row"
      aria-label={key}
      aria-rowindex={index + 2}
      data-index={index}
      data-key={key}
      className={styles.row}
      style={{ transform: `translateY(${startPx}px)` }}
    >
      <div className={styles.line} role="presentation" data-current={isCurrent || undefined}>
        <span role="cell">
          <input
            type="checkbox"
            aria-label={`Choose ${key}`}
            checked={isChosen}
            disabled={!isOpen}
            onChange={(event) => onToggle((event.nativeEvent as MouseEvent).shiftKey === true)}
          />
        </span>
        <span role="cell" className={styles.hint} data-hint={hint.toLowerCase()}>
          {hint}
        </span>
        <span role="cell" className={styles.name}>
          {onUnfold === undefined ? (
            <bdi title={name}>{name}</bdi>
          ) : (
            <button
              type="button"
              aria-expanded={isUnfolded}
              aria-label={`${name}, details of ${key}`}
              title={name}
              onClick={onUnfold}
            >
              <Icon name={isUnfolded ? "down" : "right"} />
              <bdi>{name}</bdi>
            </button>
          )}
        </span>
        <span role="cell" className={`${styles.description} ${styles.wide}`} title={description}>
          <bdi>{description}</bdi>
        </span>
        <span role="cell" className={styles.change} title={change}>
          {change}
        </span>
        <span role="cell" className={styles.effect}>
          {warnings.length > 0 && (
            <span className={styles.warned} title={warnings.join(" ")}>
              <Icon name="warning" />
              Warning
            </span>
          )}
          {isDestructive ? <DestructiveBadge /> : <span className={styles.soft}>Reads</span>}
        </span>
        {onApprove !== undefined && (
          <span role="cell">
            {isOpen && (
              <button
                type="button"
                className={styles.approve}
                data-approve
                // Not disabled, which would take the focus away.
                aria-disabled={isBusy}
                aria-label={`Approve ${key}`}
                onClick={onApprove}
              >
                Approve
              </button>
            )}
          </span>
        )}
      </div>
      {isUnfolded && (
        <div className={styles.detail} role="cell">
          {detail}
        </div>
      )}
    </div>
  );
}
