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
  const retry = error.code === "forbidden" ? undefined : onRetry;
  return <PageFault title={`${what} could not be loaded.`} text={error.message} onRetry={retry} />;
}

type FaultProps = { title: string; text: string; onRetry?: (() => void) | undefined };

/** Something of the page that is not there, why, and a way to try again. */
export function PageFault({ title, text, onRetry }: FaultProps) {
  return (
    <div className={styles.error} role="alert">
      <Icon name="warning" />
      <div className={styles.text}>
        <strong>{title}</strong>
        <p>
          {text} <a href="/help">Help</a>
        </p>
        {onRetry !== undefined && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Retry
          </Button>
        )}
      </div>
    </div>
  );
}
