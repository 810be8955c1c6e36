import { Button } from "@mantine/core";
import type { ApiError } from "../../api/api-error.ts";
import { Icon } from "../controls/icon.tsx";
import { EmptyState } from "./empty-state.tsx";
import styles from "./page-error.module.css";

type Props = {
  /** What failed, such as "The calls". */
  what: string;
  error: ApiError;
  onRetry?: () => void;
};

/** Says what failed, what to do, and lets the user try again. */
export function PageError({ what, error, onRetry }: Props) {
  // Nothing is broken: the address is old, or the thing is deleted.
  if (error.code === "not_found") {
    return (
      <div role="alert">
        <EmptyState icon="search" title="Nothing is here">
          {error.message}
        </EmptyState>
      </div>
    );
  }
  const canRetry = onRetry !== undefined && error.code !== "forbidden";
  return (
    <div className={styles.error} role="alert">
      <Icon name="warning" />
      <div className={styles.text}>
        <strong>{`${what} could not be loaded.`}</strong>
        <p>
          {error.message} <a href="/help">Help</a>
        </p>
        {canRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Retry
          </Button>
        )}
      </div>
    </div>
  );
}
