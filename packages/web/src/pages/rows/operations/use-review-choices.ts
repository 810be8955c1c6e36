import type { ReviewLine } from "@hub/contract/row-discovery.ts";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { reviewRefreshes } from "./use-review.ts";

export type ReviewChoices = ReturnType<typeof useReviewChoices>;

/**
 * Approves and hides operations of a row. `known` has those that are shown, by their keys. The question
 * before all are approved (`isAsking`) closes when the answer is there.
 */
export function useReviewChoices(
  row: string,
  known: ReadonlyMap<string, ReviewLine>,
  onDone: () => void,
) {
  const [isAsking, setAsking] = useState(false);
  const approve = useChange("POST /manager/api/rows/{row}/approve", {
    refreshes: reviewRefreshes,
    onDone() {
      setAsking(false);
      onDone();
    },
    onFailed: () => setAsking(false),
  });
  const hide = useChange("POST /manager/api/rows/{row}/review/hide", {
    refreshes: reviewRefreshes,
    onDone,
  });
  /** As they are shown. With `reads` they are also marked as operations that only read. */
  const approveThese = (keys: readonly string[], reads = false) => {
    const found = keys.flatMap((key) => known.get(key) ?? []);
    if (found.length === 0 || approve.isPending) return;
    const operations = found.map(({ key, digest }) => ({ key, digest, ...(reads && { reads }) }));
    approve.run({ params: { row }, body: { operations } });
  };
  return { approve, hide, approveThese, isAsking, setAsking };
}
