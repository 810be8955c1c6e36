import type { ReviewLine } from "./review-line.ts";
import styles from "./review-table.module.css";

type Props = {
  lines: readonly ReviewLine[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  hasApprove: boolean;
};

/** The headers of the review, with the check box for all lines that can be chosen. */
export function ReviewHead({ lines, chosen, onChoose, hasApprove }: Props) {
  const open = lines.filter(({ isOpen }) => isOpen);
  const areAllChosen = open.length > 0 && open.every(({ key }) => chosen.has(key));
  return (
    <div role="rowgroup">
      <div className={`${styles.line} ${styles.head}`} role="row" aria-rowindex={1}>
        <span role="columnheader">
          <input
            type="checkbox"
            aria-label="Choose all that are shown"
            checked={areAllChosen}
            disabled={open.length === 0}
            onChange={() => onChoose(new Set(areAllChosen ? [] : open.map(({ key }) => key)))}
          />
        </span>
        <span role="columnheader">Kind</span>
        <span role="columnheader">Name</span>
        <span role="columnheader" className={styles.wide}>
          Description
        </span>
        <span role="columnheader">Change</span>
        <span role="columnheader">Effect</span>
        {hasApprove && (
          <span role="columnheader">
            <span className={styles.unseen}>Approve</span>
          </span>
        )}
      </div>
    </div>
  );
}
