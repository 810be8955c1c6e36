import { type ReviewFilter, reviewFilters } from "@hub/contract/review-filters.ts";
import { Alert, Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Answer } from "../../../api/call-api.ts";
import { useChange, usePages } from "../../../api/use-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import type { ShownRow } from "../shown-row.ts";
import { ApproveAllDialog } from "./approve-all-dialog.tsx";
import { ChosenBar } from "./chosen-bar.tsx";
import styles from "./review.module.css";
import { ReviewTable } from "./review-table.tsx";
import { RowReviewDetail } from "./row-review-detail.tsx";
import { toReviewLine } from "./to-review-line.ts";
import { type ReviewKind, reviewRefreshes, useReview } from "./use-review.ts";

type Props = { row: ShownRow; place: ReviewKind };

/** The operations that wait for an admin, to be read and approved, and those that are gone. */
export function ReviewList({ row, place }: Props) {
  const review = useReview(row);
  // The card above shows the loading and failing states.
  if (review.data === undefined) return null;
  const { counts } = review.data;
  const total = counts.new + counts.changed + counts.invalid + counts.gone + counts.hidden;
  if (total === 0 && place.show === undefined) return null;
  return <Review row={row} place={place} review={review.data} />;
}

type ReviewProps = Props & { review: Answer<"GET /manager/api/rows/{row}/review"> };

function Review({ row, place: { show }, review }: ReviewProps) {
  const [q, setQ] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const [isSure, setSure] = useState(false);
  const params = { row: row.id };
  const query = { ...(q !== "" && { q }), ...(show !== undefined && { filter: show }) };
  const pages = usePages("GET /manager/api/rows/{row}/review/lines", { params, query }, "after");
  const done = () => {
    setAsking(false);
    setChosen(new Set());
  };
  const approve = useChange("POST /manager/api/rows/{row}/approve", {
    refreshes: reviewRefreshes,
    onDone: done,
    onFailed: () => setAsking(false),
  });
  const hide = useChange("POST /manager/api/rows/{row}/review/hide", {
    refreshes: reviewRefreshes,
    onDone: done,
  });
  const { waiting, stamp, counts } = review;
  const lines = pages.data?.pages.flatMap((page) => page.lines) ?? [];
  const known = new Map(lines.map((line) => [line.key, line]));
  const approveThese = (keys: readonly string[], reads = false) => {
    const found = keys.flatMap((key) => known.get(key) ?? []);
    if (found.length === 0 || approve.isPending) return;
    const operations = found.map(({ key, digest }) => ({ key, digest, ...(reads && { reads }) }));
    approve.run({ params, body: { operations } });
  };
  const all = waiting === 1 ? "Approve the one" : `Approve all ${formatNumber(waiting)}`;
  const failure = approve.error ?? hide.error;
  return (
    <>
      <Card
        title="Review"
        actions={
          waiting > 0 &&
          stamp !== null && (
            <div className={styles.buttons}>
              <Button
                disabled={approve.isPending}
                onClick={() => approve.run({ params, body: { stamp, only: "reads" } })}
              >
                Approve all that only read
              </Button>
              <Button
                variant="default"
                disabled={approve.isPending}
                onClick={() => {
                  setSure(false);
                  setAsking(true);
                }}
              >
                {all}
              </Button>
            </div>
          )
        }
      >
        <p className={styles.lead}>
          {waiting === 0
            ? "No operation waits for a review."
            : "These texts come from the outside system, and every client that sees this row will read them. Clients can call an operation when you have approved it."}
        </p>
        <div className={styles.filters}>
          <Filters counts={counts} show={show} />
          <SearchField label="Filter the review" value={q} onChange={setQ} />
        </div>
        {failure !== null && (
          <Alert
            color="red"
            role="alert"
            mb="sm"
            title={approve.error === null ? "Nothing was changed" : "Nothing was approved"}
          >
            {failure.message}
            {failure.code === "conflict" && " The list was loaded again and shows how it is now."}
          </Alert>
        )}
        {approve.data !== undefined && !approve.isPending && failure === null && (
          <p className={styles.outcome} role="status">
            {waiting === 0
              ? "Everything is reviewed."
              : `${formatNumber(waiting)} still ${waiting === 1 ? "waits" : "wait"}.`}
          </p>
        )}
        <ChosenBar
          chosen={chosen}
          isHidden={show === "hidden"}
          mayHide={[...chosen].every((key) => known.get(key)?.review === "new")}
          isBusy={approve.isPending || hide.isPending}
          onApprove={(reads) => approveThese([...chosen], reads)}
          onHide={(hidden) => hide.run({ params, body: { operations: [...chosen], hidden } })}
          onClear={() => setChosen(new Set())}
        />
        <Loaded of={pages} what="The review" skeleton={<PageSkeleton lines={6} />}>
          {() =>
            lines.length === 0 ? (
              <p className={styles.lead}>
                {q === "" ? "No operation of this kind is left." : "No operation matches."}
              </p>
            ) : (
              <ReviewTable
                label="Operations that wait for a review"
                lines={lines.map(toReviewLine)}
                chosen={chosen}
                onChoose={setChosen}
                onApprove={approveThese}
                isBusy={approve.isPending}
                onMore={pages.onMore}
                detail={(key) => (
                  <RowReviewDetail row={row.id} name={key} digest={known.get(key)?.digest} />
                )}
              />
            )
          }
        </Loaded>
      </Card>
      <ApproveAllDialog
        isAsking={isAsking}
        waiting={waiting}
        warned={counts.warnings}
        isSure={isSure}
        setSure={setSure}
        title={`${all} operations of ${row.label}?`}
        action={all}
        isBusy={approve.isPending}
        onConfirm={() => stamp !== null && approve.run({ params, body: { stamp } })}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

const filterNames: Record<ReviewFilter | "hidden", string> = {
  new: "New",
  changed: "Changed",
  invalid: "Invalid",
  gone: "Gone",
  warnings: "Warnings",
  hidden: "Hidden",
};

type FilterProps = { counts: ReviewProps["review"]["counts"]; show: ReviewKind["show"] };

/** Shows one kind of operations. Nothing if there is only one kind. */
function Filters({ counts, show }: FilterProps) {
  const navigate = useNavigate({ from: "/manager/connectors/$key/$row" });
  const kinds = ([...reviewFilters, "hidden"] as const).filter(
    (kind) => counts[kind] > 0 || kind === show,
  );
  if (kinds.length < 2 && show === undefined && kinds[0] !== "hidden") return null;
  const total = counts.new + counts.changed + counts.invalid + counts.gone;
  const toButton = (kind: ReviewKind["show"], name: string, shown: number) => (
    <Button
      key={name}
      size="xs"
      variant={kind === show ? "light" : "default"}
      aria-pressed={kind === show}
      onClick={() => void navigate({ search: { tab: "operations", ...(kind && { show: kind }) } })}
    >
      {`${name} ${formatNumber(shown)}`}
    </Button>
  );
  return (
    <div className={styles.kinds} role="group" aria-label="Show in the review">
      {toButton(undefined, "All", total)}
      {kinds.map((kind) => toButton(kind, filterNames[kind], counts[kind]))}
    </div>
  );
}
