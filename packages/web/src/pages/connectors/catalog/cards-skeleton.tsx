import { Skeleton } from "@mantine/core";
import cardStyles from "../connector-card.module.css";

/** Cards of connectors while they load: logo, name and kind, two lines, and what can be done. */
export function CardsSkeleton({ cards = 6 }: { cards?: number }) {
  return (
    <div role="status" aria-label="Loading">
      <ul className={cardStyles.grid} aria-hidden="true">
        {Array.from({ length: cards }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards never change.
          <li key={index}>
            <div className={cardStyles.card}>
              <div className={cardStyles.head}>
                <Skeleton height={36} width={36} />
                <div>
                  <Skeleton height={12} width="50%" mb={8} />
                  <Skeleton height={10} width="35%" />
                </div>
              </div>
              <Skeleton height={10} mt={20} />
              <Skeleton height={10} mt={10} width="70%" />
              <div className={cardStyles.foot}>
                <Skeleton height={10} width="30%" />
              </div>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}
