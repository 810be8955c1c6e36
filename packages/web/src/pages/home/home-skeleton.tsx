import { Skeleton } from "@mantine/core";
import { Card } from "../../ui/page/card.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import styles from "./home.module.css";

/** The shape of the start page. Its parts come together, so that none of them moves another. */
export function HomeSkeleton() {
  return (
    <>
      <Card>
        <PageSkeleton lines={4} />
      </Card>
      <Card>
        <CallsSkeleton />
      </Card>
      <StandingOutSkeleton />
    </>
  );
}

/** The cards of rows, and of what waits. */
export function StandingOutSkeleton() {
  return (
    <div className={styles.columns}>
      {["failing", "slowest", "waiting"].map((key) => (
        <Card key={key}>
          <PageSkeleton lines={5} />
        </Card>
      ))}
    </div>
  );
}

/** The figures and the chart below them. */
export function CallsSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton height={50} width="60%" mb="md" />
      <Skeleton height={158} />
    </div>
  );
}
