import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { asApiError } from "../../api/api-error.ts";
import { PageError } from "../page/page-error.tsx";

type Props = {
  /** The result of `usePages`. */
  of: Pick<UseInfiniteQueryResult, "isFetchNextPageError" | "error" | "fetchNextPage">;
  /** What could not be loaded, such as "More calls". */
  what: string;
};

/** Says below a list that its next page could not be read. */
export function MoreFailed({ of, what }: Props) {
  if (!of.isFetchNextPageError) return null;
  const onRetry = () => void of.fetchNextPage();
  return <PageError what={what} error={asApiError(of.error)} onRetry={onRetry} />;
}
