import { type ReviewFilter, reviewFilters } from "@hub/contract/review-filters.ts";
import type { ReviewedOperation } from "@hub/contract/row-discovery.ts";
import { Alert, Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Answer } from "../../../api/call-api.ts";
import { useChange } from "../../../api/use-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import type { ShownRow } from "../shown-row.ts";
import { ApproveAllDialog } from "./approve-all-dialog.tsx";
import styles from "./review.module.css";
import { ReviewItem } from "./review-item.tsx";
import { Gone, Invalid } from "./unusable-operations.tsx";
import { useFocusAfter } from "./use-focus-after.ts";
import { type ReviewPage, reviewedPerPage, reviewRefreshes, useReview } from "./use-review.ts";

type Props = { row: ShownRow; place: ReviewPage };

/** The operations that wait for an admin, to be read and approved, and those that are gone. */
export function ReviewList({ row, place }: Props) {
  const review = useReview(row, place);
  // The card above shows the loading and failing states.
  if (review.data === undefined) return null;
  const { waiting, reviewed } = review.data;
  const isWhole = place.show === undefined && (place.offset ?? 0) === 0;
  if (waiting === 0 && reviewed.length === 0 && isWhole) return null;
  return <Review row={row} place={place} review={review.data} />;
}

type ReviewProps = Props & { review: Answer<"GET /manager/api/rows/{row}/review"> };

function Review({ row, place, review }: ReviewProps) {
  const [isAsking, setAsking] = useState(false);
  const approve = useChange("POST /manager/api/rows/{row}/approve", {
    refreshes: reviewRefreshes,
    onDone: () => setAsking(false),
    onFailed: () => setAsking(false),
  });
  const { waiting, reviewed, stamp, counts } = review;
  const [isSure, setSure] = useState(false);
  const focus = useFocusAfter(review);
  const params = { row: row.id };
  const approveThese = (operations: readonly ReviewedOperation[]) =>
    approve.run({ params, body: { operations: operations.map(toApproval) } });
  const gone = reviewed.filter((one) => one.review === "gone");
  const invalid = reviewed.filter((one) => one.review === "invalid");
  const open = reviewed.filter((one) => one.review === "new" || one.review === "changed");
  const { sorted, warned } = sortByWarnings(open);
  // The admin cannot have seen these on this page.
  const unseen = counts.warnings - warned;
  const all = `Approve all ${formatNumber(waiting)}`;
  return (
    <>
      <Card
        title="Review"
        actions={
          waiting > 0 && (
            <ApproveButtons
              open={open}
              waiting={waiting}
              all={all}
              hasAll={stamp !== null && place.show === undefined}
              isBusy={approve.isPending}
              onShown={() => approveThese(open)}
              onAll={() => {
                setSure(false);
                setAsking(true);
              }}
            />
          )
        }
      >
        <p className={styles.lead} ref={focus.lead} tabIndex={-1}>
          {waiting === 0
            ? "No operation waits for a review."
            : "These texts come from the outside system, and every client that sees this row will read them. Clients can call an operation when you have approved it."}
        </p>
        <Filters counts={counts} show={place.show} />
        {approve.error !== null && (
          <Alert color="red" role="alert" mb="sm" title="Nothing was approved">
            {approve.error.message}
            {approve.error.code === "conflict" &&
              " The list was loaded again and shows how it is now."}
          </Alert>
        )}
        {sorted.length > 0 && (
          <ul
            ref={focus.list}
            className={styles.items}
            aria-label="Operations that wait for a review"
          >
            {sorted.map((operation, at) => (
              <ReviewItem
                key={`${operation.key} ${operation.digest}`}
                operation={operation}
                isBusy={approve.isPending}
                onApprove={(reads) => {
                  if (approve.isPending) return;
                  focus.keep(at);
                  const approval = { ...toApproval(operation), ...(reads && { reads }) };
                  approve.run({ params, body: { operations: [approval] } });
                }}
              />
            ))}
          </ul>
        )}
        {invalid.length > 0 && <Invalid operations={invalid} />}
        {gone.length > 0 && <Gone operations={gone} />}
        {reviewed.length === 0 && place.show !== undefined && (
          <p className={styles.lead}>No operation of this kind is left.</p>
        )}
        <Pages place={place} shown={reviewed.length} next={review.next_offset} />
      </Card>
      <ApproveAllDialog
        isAsking={isAsking}
        waiting={waiting}
        unseen={unseen}
        isSure={isSure}
        setSure={setSure}
        title={`${all} operations of ${row.label}?`}
        action={all}
        shown={open.length}
        isBusy={approve.isPending}
        onConfirm={() => stamp !== null && approve.run({ params, body: { stamp } })}
        onClose={() => setAsking(false)}
      />
    </>
  );
}

/** What an admin must not miss comes first. */
function sortByWarnings(open: readonly ReviewedOperation[]) {
  const warned = open.filter(({ warnings }) => warnings.length > 0);
  const rest = open.filter(({ warnings }) => warnings.length === 0);
  return { sorted: [...warned, ...rest], warned: warned.length };
}

type ApproveProps = {
  open: readonly ReviewedOperation[];
  waiting: number;
  /** The words of the button for all. */
  all: string;
  hasAll: boolean;
  isBusy: boolean;
  onShown: () => void;
  onAll: () => void;
};

function ApproveButtons({ open, waiting, all, hasAll, isBusy, onShown, onAll }: ApproveProps) {
  return (
    <div className={styles.buttons}>
      {open.length > 1 && open.length < waiting && (
        <Button variant="default" disabled={isBusy} onClick={onShown}>
          {`Approve the ${open.length} shown`}
        </Button>
      )}
      {hasAll && (
        <Button disabled={isBusy} onClick={onAll}>
          {all}
        </Button>
      )}
    </div>
  );
}

const filterNames: Record<ReviewFilter, string> = {
  new: "New",
  changed: "Changed",
  invalid: "Invalid",
  gone: "Gone",
  warnings: "Warnings",
};

type FilterProps = { counts: ReviewProps["review"]["counts"]; show: ReviewFilter | undefined };

/** Shows one kind of operations, on all pages. Nothing if there is only one kind. */
function Filters({ counts, show }: FilterProps) {
  const navigate = useNavigate({ from: "/manager/connectors/$key/$row" });
  const kinds = reviewFilters.filter((kind) => counts[kind] > 0 || kind === show);
  if (kinds.length < 2 && show === undefined) return null;
  const total = counts.new + counts.changed + counts.invalid + counts.gone;
  const toButton = (kind: ReviewFilter | undefined, name: string, shown: number) => (
    <Button
      key={name}
      size="xs"
      variant={kind === show ? "filled" : "default"}
      aria-pressed={kind === show}
      onClick={() => void navigate({ search: { tab: "operations", ...(kind && { show: kind }) } })}
    >
      {`${name} ${formatNumber(shown)}`}
    </Button>
  );
  return (
    <div className={styles.filters} role="group" aria-label="Show in the review">
      {toButton(undefined, "All", total)}
      {kinds.map((kind) => toButton(kind, filterNames[kind], counts[kind]))}
    </div>
  );
}

function toApproval({ key, digest }: ReviewedOperation) {
  return { key, digest };
}

type PagesProps = { place: ReviewPage; shown: number; next: number | null };

function Pages({ place: { offset = 0, show }, shown, next }: PagesProps) {
  const navigate = useNavigate({ from: "/manager/connectors/$key/$row" });
  const goTo = (start: number) =>
    void navigate({
      search: { tab: "operations", ...(start > 0 && { offset: start }), ...(show && { show }) },
    });
  if (offset === 0 && next === null) return null;
  return (
    <nav className={styles.pages} aria-label="Pages of the review">
      <Button
        variant="default"
        size="xs"
        disabled={offset === 0}
        onClick={() => goTo(Math.max(0, offset - reviewedPerPage))}
      >
        Previous
      </Button>
      <span role="status">
        {shown === 0
          ? "Nothing on this page"
          : `${formatNumber(offset + 1)} to ${formatNumber(offset + shown)}`}
      </span>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={() => next !== null && goTo(next)}
      >
        Next
      </Button>
    </nav>
  );
}
