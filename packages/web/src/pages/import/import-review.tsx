import { Alert, Button, Group } from "@mantine/core";
import { useState } from "react";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { formatCount, formatNumber } from "../../ui/text/format.ts";
import { ReviewTable } from "../rows/operations/review-table.tsx";
import { RowReviewDetail } from "../rows/operations/row-review-detail.tsx";
import { toReviewLine } from "../rows/operations/to-review-line.ts";
import styles from "./import.module.css";
import { linesPerRow, type RowLine, useImportReview } from "./use-import-review.ts";
import type { RowDiscovery } from "./use-row-discoveries.ts";

const toKey = ({ row, line }: RowLine) => `${row.label}/${line.key}`;

/** One review of the operations of all imported rows, when each was asked. */
export function ImportReview({ discoveries }: { discoveries: readonly RowDiscovery[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const names = new Set(discoveries.map(({ state }) => state.name));
  const isBusy = names.has("waiting") || names.has("asking");
  const rows = discoveries.filter(({ state }) => state.name === "done").map(({ row }) => row);
  const isOn = !isBusy && rows.length > 0;
  const { review, approve } = useImportReview(rows, isOn, () => setChosen(new Set()));
  if (review.error !== null) return <Failure of={review.error} />;
  if (!isOn || review.data === undefined) return null;
  const { lines, isCut } = review.data;
  const byKey = new Map(lines.map((one) => [toKey(one), one]));
  const keysToLines = (keys: Iterable<string>) => [...keys].flatMap((key) => byKey.get(key) ?? []);
  return (
    <Card
      title="Review of all rows"
      actions={
        <ApproveButtons
          lines={lines}
          chosen={keysToLines(chosen)}
          isBusy={approve.isPending}
          onApprove={approve.mutate}
        />
      }
    >
      <p className={styles.note}>
        These texts come from the servers, and every client that sees the rows will read them.
        Operations with warnings are approved one by one.
        {isCut &&
          ` The first ${linesPerRow} of each row are listed; when they are approved, the next ones are.`}
      </p>
      {approve.error !== null && (
        <Alert color="red" role="alert" mb="sm" title="Not everything was approved">
          {approve.error.message}
        </Alert>
      )}
      {approve.data !== undefined && (
        <p role="status">{`${formatCount(approve.data, "operation")} approved.`}</p>
      )}
      {lines.length === 0 ? (
        <p role="status">No operation waits for a review.</p>
      ) : (
        <ReviewTable
          label="Operations of all rows"
          lines={lines.map((one) => ({
            ...toReviewLine(one.line),
            key: toKey(one),
            name: `${one.row.label} · ${one.line.name}`,
          }))}
          chosen={chosen}
          onChoose={setChosen}
          onApprove={(keys) => approve.mutate(keysToLines(keys))}
          isBusy={approve.isPending}
          detail={(key) => {
            const one = byKey.get(key);
            if (one === undefined) return null;
            const { row, line } = one;
            return <RowReviewDetail row={row.id} name={line.key} digest={line.digest} />;
          }}
        />
      )}
    </Card>
  );
}

type ButtonsProps = {
  lines: readonly RowLine[];
  chosen: readonly RowLine[];
  isBusy: boolean;
  onApprove: (lines: readonly RowLine[]) => void;
};

/** Approves what only reads, all, or what is chosen. What has warnings must be chosen. */
function ApproveButtons({ lines, chosen, isBusy, onApprove }: ButtonsProps) {
  const safe = lines.filter(({ line }) => line.warnings.length === 0);
  const reads = safe.filter(({ line }) => !line.destructive);
  return (
    <Group gap="xs">
      <Button disabled={reads.length === 0} loading={isBusy} onClick={() => onApprove(reads)}>
        {`Approve all that only read (${formatNumber(reads.length)})`}
      </Button>
      <Button
        variant="default"
        disabled={safe.length === 0 || isBusy}
        onClick={() => onApprove(safe)}
      >
        {`Approve all (${formatNumber(safe.length)})`}
      </Button>
      <Button
        variant="default"
        disabled={chosen.length === 0 || isBusy}
        onClick={() => onApprove(chosen)}
      >
        Approve chosen
      </Button>
    </Group>
  );
}
