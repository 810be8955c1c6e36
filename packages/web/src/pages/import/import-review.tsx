import type { ReviewLine as Line } from "@hub/contract/row-discovery.ts";
import { Alert, Button, Group } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { useApiClient } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { count } from "../connectors/connector-card.tsx";
import { ReviewTable } from "../rows/operations/review-table.tsx";
import { RowReviewDetail } from "../rows/operations/row-review-detail.tsx";
import { toReviewLine } from "../rows/operations/to-review-line.ts";
import styles from "./import.module.css";
import { type ImportedRow, useRowDiscoveries } from "./use-row-discoveries.ts";

/** Of one row. The rest is reviewed on the row's page. */
const linesPerRow = 200;

type RowLine = { row: ImportedRow; line: Line };

const toKey = ({ row, line }: RowLine) => `${row.label}/${line.key}`;

const words = {
  waiting: "Not asked yet",
  asking: "The hub asks the server…",
  done: "Its operations are listed below",
  failed: "Failed",
} as const;

/** The discovery of each imported row, and one review of all their operations. */
export function ImportReview({ rows }: { rows: readonly ImportedRow[] }) {
  const api = useApiClient();
  const { states, isBusy, retry } = useRowDiscoveries(rows);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = rows.filter(({ id }) => states[id]?.name === "done");
  const review = useQuery<RowLine[], ApiError>({
    queryKey: ["import review", found.map(({ id }) => id)],
    enabled: !isBusy && found.length > 0,
    async queryFn() {
      const lines: RowLine[] = [];
      for (const row of found) {
        const page = await api.call("GET /manager/api/rows/{row}/review/lines", {
          params: { row: row.id },
          query: { limit: linesPerRow },
        });
        lines.push(...page.lines.map((line) => ({ row, line })));
      }
      return lines;
    },
  });
  const lines = review.data ?? [];
  const byKey = new Map(lines.map((one) => [toKey(one), one]));
  const approve = useMutation<number, ApiError, readonly RowLine[]>({
    async mutationFn(given) {
      for (const row of found) {
        const operations = given
          .filter((one) => one.row.id === row.id)
          .map(({ line: { key, digest } }) => ({ key, digest }));
        if (operations.length === 0) continue;
        const params = { row: row.id };
        await api.call("POST /manager/api/rows/{row}/approve", { params, body: { operations } });
      }
      return given.length;
    },
    onSettled: () => {
      setChosen(new Set());
      void review.refetch();
    },
  });
  const safe = lines.filter(({ line }) => line.warnings.length === 0);
  const reads = safe.filter(({ line }) => !line.destructive);
  const keysToLines = (keys: Iterable<string>) => [...keys].flatMap((key) => byKey.get(key) ?? []);
  return (
    <>
      <Card title="Discovery">
        <ul className={styles.report} aria-label="Discovery of each row">
          {rows.map((row) => {
            const state = states[row.id] ?? { name: "waiting" as const, note: null };
            return (
              <li key={row.id}>
                <Link to="/manager/connectors/$key/$row" params={{ key: "mcp", row: row.id }}>
                  <bdi>{row.label}</bdi>
                </Link>
                <span className={state.name === "failed" ? styles.bad : styles.note}>
                  {state.note ?? words[state.name]}
                </span>
                {state.name === "failed" && row.missing.length === 0 && (
                  <Button size="compact-sm" variant="default" onClick={() => retry(row)}>
                    Try again
                  </Button>
                )}
              </li>
            );
          })}
        </ul>
      </Card>
      {review.error !== null && (
        <Alert color="red" role="alert" mb="md">
          {asApiError(review.error).message}
        </Alert>
      )}
      {!isBusy && found.length > 0 && review.data !== undefined && (
        <Card
          title="Review of all rows"
          actions={
            <Group gap="xs">
              <Button
                disabled={reads.length === 0}
                loading={approve.isPending}
                onClick={() => approve.mutate(reads)}
              >
                {`Approve all that only read (${formatNumber(reads.length)})`}
              </Button>
              <Button
                variant="default"
                disabled={safe.length === 0 || approve.isPending}
                onClick={() => approve.mutate(safe)}
              >
                {`Approve all (${formatNumber(safe.length)})`}
              </Button>
              <Button
                variant="default"
                disabled={chosen.size === 0 || approve.isPending}
                onClick={() => approve.mutate(keysToLines(chosen))}
              >
                Approve chosen
              </Button>
            </Group>
          }
        >
          <p className={styles.note}>
            These texts come from the servers, and every client that sees the rows will read them.
            Operations with warnings are approved one by one.
          </p>
          {approve.error !== null && (
            <Alert color="red" role="alert" mb="sm" title="Not everything was approved">
              {approve.error.message}
            </Alert>
          )}
          {approve.data !== undefined && (
            <p role="status">{`${count(approve.data, "operation")} approved.`}</p>
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
      )}
    </>
  );
}
