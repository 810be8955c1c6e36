import { Button } from "@mantine/core";
import { useChange } from "../../../api/use-api.ts";
import { formatCount } from "../../../ui/text/format.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";

/** What a change of an operation changes. */
export const operationRefreshes = [
  "GET /manager/api/rows/{row}/operations",
  "GET /manager/api/rows/{row}",
] as const;

/** Marks all operations that change nothing as reading, and says how many it marked. */
export function ReadsButton({ row, stamp }: { row: ShownRow; stamp: string | null | undefined }) {
  const mark = useChange("POST /manager/api/rows/{row}/reads", { refreshes: operationRefreshes });
  return (
    <div className={styles.filters}>
      <Button
        size="xs"
        variant="default"
        disabled={mark.isPending || stamp === undefined}
        title="All approved operations that are not described as destructive, such as each GET. Then hub_read runs them."
        onClick={() =>
          mark.run({ params: { row: row.id }, body: { reads: true, ...toStamp(stamp) } })
        }
      >
        Mark all that change nothing as reading
      </Button>
      <span className={styles.count}>
        hub_read runs only operations that an admin has marked, because the hub cannot tell what
        those of this row do.
      </span>
      <span className={styles.count} role="status">
        {mark.data !== undefined && !mark.isPending && describeMarks(mark.data.count)}
      </span>
      {mark.error !== null && (
        <p className={styles.bad} role="alert">
          {mark.error.message}
        </p>
      )}
    </div>
  );
}

function describeMarks(marked: number): string {
  return marked === 0
    ? "Nothing to mark: each approved operation is marked already or is destructive."
    : `${formatCount(marked, "operation")} marked.`;
}

/** The change is refused if the operations are no longer those that are shown. */
export function toStamp(stamp: string | null | undefined): { stamp?: string } {
  return typeof stamp === "string" ? { stamp } : {};
}
