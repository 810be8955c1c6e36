import { Skeleton } from "@mantine/core";
import cardStyles from "./card.module.css";
import styles from "./detail-skeleton.module.css";

type Props = {
  hasTabs?: boolean;
  /** The number of lines of each card, from above. */
  cards: readonly number[];
};

/** The shape of the page of one thing while it loads: its tabs, and its cards with their titles. */
export function DetailSkeleton({ hasTabs = false, cards }: Props) {
  return (
    <div role="status" aria-label="Loading">
      {hasTabs && (
        <div className={styles.tabs}>
          {["4rem", "5.5rem", "3.5rem", "4.5rem"].map((width) => (
            <Skeleton key={width} height={14} width={width} />
          ))}
        </div>
      )}
      {cards.map((lines, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards never change.
        <div key={at} className={cardStyles.card}>
          <div className={cardStyles.head}>
            <Skeleton height={18} width="10rem" />
          </div>
          {Array.from({ length: lines }, (_, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
            <Skeleton key={line} height={14} mb="sm" width={line % 3 === 2 ? "40%" : "65%"} />
          ))}
        </div>
      ))}
    </div>
  );
}
