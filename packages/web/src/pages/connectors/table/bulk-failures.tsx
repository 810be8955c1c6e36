import { Alert } from "@mantine/core";
import type { Answer } from "../../../api/call-api.ts";
import { formatCount, formatNumber } from "../../../ui/text/format.ts";
import styles from "./row-table.module.css";

type Props = { failed: Answer<"POST /manager/api/rows/bulk">["failed"]; onClose: () => void };

const shownMax = 20;

/** The rows that a change of many could not change, by their labels, each with the reason. */
export function BulkFailures({ failed, onClose }: Props) {
  if (failed.length === 0) return null;
  return (
    <Alert
      color="red"
      role="alert"
      mb="sm"
      title={`${formatCount(failed.length, "row")} could not be changed`}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      <ul className={styles.failed}>
        {failed.slice(0, shownMax).map(({ id, label, error }) => (
          <li key={id}>
            <bdi>{label}</bdi>: {error}
          </li>
        ))}
      </ul>
      {failed.length > shownMax && `And ${formatNumber(failed.length - shownMax)} more.`}
    </Alert>
  );
}
