import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { PageFault } from "./page-error.tsx";
import { useIsLate } from "./use-is-late.ts";
import styles from "./waiting.module.css";

type Props = {
  /** What is awaited, such as "The calls". */
  what: string;
  /** The shape of what comes. */
  children: ReactNode;
  afterMs?: number;
  /** Asks again. By default all that the page waits for is asked again. */
  onRetry?: () => void;
};

/**
 * The shape of what comes; after three seconds, that it does not come, with Retry, in the same place, so that what is
 * below does not move. What was awaited is shown when it comes after all.
 */
export function Waiting({ what, children, afterMs, onRetry }: Props) {
  const queries = useQueryClient();
  const isLate = useIsLate(true, afterMs);
  if (!isLate) return children;
  return (
    <div className={styles.late}>
      <div>
        <PageFault
          title={`${what} could not be loaded yet.`}
          text="The hub has not answered so far. This page goes on waiting."
          onRetry={onRetry ?? (() => void askAgain(queries))}
        />
      </div>
      <div className={styles.shape} inert>
        {children}
      </div>
    </div>
  );
}

/** A request that has no answer yet would be waited for again, so it is given up first. */
async function askAgain(queries: QueryClient): Promise<void> {
  const stuck = queries
    .getQueryCache()
    .findAll({ predicate: ({ state }) => state.data === undefined && state.error === null });
  const keys = new Set(stuck.map(({ queryHash }) => queryHash));
  const predicate = ({ queryHash }: { queryHash: string }) => keys.has(queryHash);
  await queries.cancelQueries({ predicate }, { silent: true });
  await queries.refetchQueries({ type: "active", predicate });
}
