import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asApiError } from "../../api/api-error.ts";
import { PageError } from "./page-error.tsx";

/** What a query gives, as far as it is shown. */
export type Reading<T> = Pick<UseQueryResult<T, unknown>, "data" | "error"> & {
  refetch(): unknown;
};

type Props<T> = {
  /** The result of `useApi`. */
  of: Reading<T>;
  /** What could not be loaded, such as "The calls". */
  what: string;
  /** The shape of the content while it loads. */
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
};

/** Shows what a query gives: its shape, its failure with Retry, or its content. */
export function Loaded<T>({ of, what, skeleton, children }: Props<T>) {
  // Content that was loaded before stays while it is read again, also if that fails.
  if (of.data !== undefined) return children(of.data);
  if (of.error === null) return skeleton;
  const onRetry = () => void of.refetch();
  return <PageError what={what} error={asApiError(of.error)} onRetry={onRetry} />;
}
