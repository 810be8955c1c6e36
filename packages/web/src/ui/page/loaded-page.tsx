import type { ReactNode } from "react";
import { asApiError } from "../../api/api-error.ts";
import type { Reading } from "./loaded.tsx";
import { NotFound } from "./not-found.tsx";
import { PageError } from "./page-error.tsx";
import { Page } from "./page-frame.tsx";
import { Waiting } from "./waiting.tsx";

type Props<T> = {
  /** The result of `useApi` for what the page is about. */
  of: Reading<T>;
  /** What could not be loaded, such as "The row". */
  what: string;
  /** The heading until the thing is known. */
  title: string;
  parent?: ReactNode;
  /** The shape of the content while it loads. */
  skeleton: ReactNode;
  /** The whole page, with its frame. */
  children: (data: T) => ReactNode;
};

/** The page of one thing: with its shape while it loads, with its failure, or as "not found" if it is not there. */
export function LoadedPage<T>({ of, what, title, parent, skeleton, children }: Props<T>) {
  if (of.data !== undefined) return children(of.data);
  const error = of.error === null ? null : asApiError(of.error);
  if (error?.code === "not_found") return <NotFound parent={parent}>{error.message}</NotFound>;
  return (
    <Page title={title} parent={parent}>
      {error === null ? (
        <Waiting what={what}>{skeleton}</Waiting>
      ) : (
        <PageError what={what} error={error} onRetry={() => void of.refetch()} />
      )}
    </Page>
  );
}
