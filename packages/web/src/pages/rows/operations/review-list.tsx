import { type ReviewFilter, reviewFilters } from "@hub/contract/review-filters.ts";
import { Alert, Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Answer } from "../../../api/call-api.ts";
import { usePages } from "../../../api/use-api.ts";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import type { ShownRow } from "../shown-row.ts";
import { ApproveButtons } from "./approve-buttons.tsx";
import { ChosenBar } from "./chosen-bar.tsx";
import styles from "./review.module.css";
import { ReviewTable } from "./review-table.tsx";
import { ReviewTableSkeleton } from "./review-table-skeleton.tsx";
import { RowReviewDetail } from "./row-review-detail.tsx";
import { toReviewLine } from "./to-review-line.ts";
import { type ReviewKind, useReview } from "./use-review.ts";
import { type ReviewChoices, useReviewChoices } from "./use-review-choices.ts";

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
  const params = { row: row.id };
  const query = { ...(q !== "" && { q }), ...(show !== undefined && { filter: show }) };
  const pages = usePages("GET /manager/api/rows/{row}/review/lines", { params, query }, "after");
  const lines = pages.data?.pages.flatMap((page) => page.lines) ?? [];
  const known = new Map(lines.map((line) => [line.key, line]));
  const choices = useReviewChoices(row.id, known, () => setChosen(new Set()));
  const { waiting, counts } = review;
  const awaited = counts.new + counts.changed + counts.invalid + counts.gone;
  return (
    <Card title="Review" actions={<ApproveButtons row={row} review={review} choices={choices} />}>
      <p className={styles.lead}>
        {waiting === 0
          ? "No operation waits for a review."
          : "These texts come from the outside system, and every client that sees this row will read them. Clients can call an operation when you have approved it."}
      </p>
      <div className={styles.filters}>
        <Filters counts={counts} show={show} />
        <SearchField label="Filter the review" value={q} onChange={setQ} />
      </div>
      <ReviewOutcome choices={choices} waiting={waiting} />
      <ChosenBar
        chosen={chosen}
        isHidden={show === "hidden"}
        mayHide={[...chosen].every((key) => known.get(key)?.review === "new")}
        isBusy={choices.approve.isPending || choices.hide.isPending}
        onApprove={(reads) => choices.approveThese([...chosen], reads)}
        onHide={(hidden) => choices.hide.run({ params, body: { operations: [...chosen], hidden } })}
        onClear={() => setChosen(new Set())}
      />
      <Loaded of={pages} what="The review" skeleton={<ReviewTableSkeleton lines={awaited} />}>
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
              onApprove={choices.approveThese}
              isBusy={choices.approve.isPending}
              onMore={pages.onMore}
              detail={(key) => (
                <RowReviewDetail row={row.id} name={key} digest={known.get(key)?.digest} />
              )}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

type OutcomeProps = { choices: ReviewChoices; waiting: number };

/** What the last choice has changed, or why it has changed nothing. */
function ReviewOutcome({ choices: { approve, hide }, waiting }: OutcomeProps) {
  const failure = approve.error ?? hide.error;
  if (failure !== null) {
    const title = approve.error === null ? "Nothing was changed" : "Nothing was approved";
    return (
      <Alert color="red" role="alert" mb="sm" title={title}>
        {failure.message}
        {failure.code === "conflict" && " The list was loaded again and shows how it is now."}
      </Alert>
    );
  }
  if (approve.data === undefined || approve.isPending) return null;
  return (
    <p className={styles.outcome} role="status">
      {waiting === 0
        ? "Everything is reviewed."
        : `${formatNumber(waiting)} still ${waiting === 1 ? "waits" : "wait"}.`}
    </p>
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
