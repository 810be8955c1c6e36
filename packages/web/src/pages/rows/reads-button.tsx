import { Button } from "@mantine/core";
import { useChange } from "../../api/use-api.ts";
import styles from "./rows.module.css";
import type { ShownRow } from "./shown-row.ts";

/** Marks all operations that change nothing as reading. */
export function ReadsButton({ row, stamp }: { row: ShownRow; stamp: string | null | undefined }) {
  const mark = useChange("POST /manager/api/rows/{row}/reads", { refreshes: operationRefreshes });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        disabled={mark.isPending || stamp === undefined}
        title="All approved operations that the outside system does not describe as destructive, such as each GET"
        onClick={() =>
          mark.run({ params: { row: row.id }, body: { reads: true, ...toStamp(stamp) } })
        }
      >
        Mark all that change nothing as reading
      </Button>
      {mark.error !== null && (
        <p className={styles.bad} role="alert">
          {mark.error.message}
        </p>
      )}
    </>
  );
}

/** The change is refused if the operations are no longer those that are shown. */
export function toStamp(stamp: string | null | undefined): { stamp?: string } {
  return typeof stamp === "string" ? { stamp } : {};
}

/** What a change of operations changes on the page of a row. */
export const operationRefreshes = [
  "GET /manager/api/rows/{row}/operations",
  "GET /manager/api/rows/{row}",
] as const;
