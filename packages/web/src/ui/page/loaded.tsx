import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asApiError } from "../../api/api-error.ts";
import { PageError } from "./page-error.tsx";
import { Waiting } from "./waiting.tsx";

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
  /** The hub works for longer than a few seconds, so the shape stays. */
  isSlow?: boolean;
};

/** Shows what a query gives: its shape for three seconds, then that it is late; its failure with Retry; or its content. */
export function Loaded<T>({ of, what, skeleton, children, isSlow = false }: Props<T>) {
  // Content that was loaded before stays while it is read again, also if that fails.
  if (of.data !== undefined) return children(of.data);
  if (of.error === null) return isSlow ? skeleton : <Waiting what={what}>{skeleton}</Waiting>;
  const onRetry = () => void of.refetch();
  return <PageError what={what} error={asApiError(of.error)} onRetry={onRetry} />;
}
