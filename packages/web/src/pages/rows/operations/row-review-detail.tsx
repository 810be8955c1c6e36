import { useApi } from "../../../api/use-api.ts";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import styles from "./review.module.css";
import { ReviewDetail } from "./review-detail.tsx";

type Props = {
  row: string;
  /** The key of the operation. */
  name: string;
  /** That of the line, which an approval sends. */
  digest: string | undefined;
};

/** The whole of one operation that waits. It is read when its line is unfolded. */
export function RowReviewDetail({ row, name, digest }: Props) {
  const query = { key: name, limit: 1 };
  const review = useApi("GET /manager/api/rows/{row}/review", { params: { row }, query });
  return (
    <Loaded of={review} what="The operation" skeleton={<PageSkeleton lines={2} />}>
      {({ reviewed: [operation] }) =>
        operation === undefined || operation.digest !== digest ? (
          <p className={styles.lead} role="alert">
            It has changed since the list was read. Load the page again.
          </p>
        ) : (
          <ReviewDetail operation={operation} />
        )
      }
    </Loaded>
  );
}
