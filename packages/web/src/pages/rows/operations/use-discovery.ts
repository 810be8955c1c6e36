import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import type { ShownRow } from "../shown-row.ts";
import { describeRefusal, readDocument } from "./read-api-document.ts";
import { reviewRefreshes, useReview } from "./use-review.ts";

/** The id of the button that discovers the operations of a row. */
export const discoverId = "discover";

export type Discovery = ReturnType<typeof useDiscovery>;

/** Discovers the operations of a row, from the outside system or from a file, and reads the review. */
export function useDiscovery(row: ShownRow) {
  const review = useReview(row);
  const [refusal, setRefusal] = useState<string | null>(null);
  const discover = useChange("POST /manager/api/rows/{row}/discover", {
    refreshes: reviewRefreshes,
    // The hub keeps the failure.
    onFailed: () => void review.refetch(),
  });
  const params = { row: row.id };
  const readFile = async (file: File | null) => {
    if (file === null) return;
    setRefusal(null);
    discover.reset();
    try {
      discover.run({ params, body: { document: await readDocument(file) } });
    } catch (thrown) {
      setRefusal(describeRefusal(thrown));
    }
  };
  const ask = () => {
    setRefusal(null);
    discover.run({ params, body: {} });
  };
  return { review, discover, refusal, readFile, ask };
}

/** Moves to the button that discovers, on the same page. */
export function jumpToDiscover(): void {
  const button = document.getElementById(discoverId);
  button?.scrollIntoView({ block: "center" });
  button?.focus();
}
