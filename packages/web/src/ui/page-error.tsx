import { Button } from "@mantine/core";
import type { ApiError } from "../api/api-error.ts";
import { Icon } from "./icon.tsx";
import styles from "./page-error.module.css";

type Props = {
  /** What failed, such as "The runs". */
  what: string;
  error: ApiError;
  onRetry?: () => void;
};

/** Says what failed, what to do, and lets the user try again. */
export function PageError({ what, error, onRetry }: Props) {
  const canRetry = onRetry !== undefined && !["not_found", "forbidden"].includes(error.code);
  return (
    <div className={styles.error} role="alert">
      <Icon name="warning" />
      <div className={styles.text}>
        <strong>{`${what} could not be loaded.`}</strong>
        <p>{error.message}</p>
        {canRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            Retry
          </Button>
        )}
      </div>
    </div>
  );
}
