import type { WorkflowShownValue } from "@hub/contract/workflow-approval.ts";
import { useState } from "react";
import { formatNumber } from "../../../ui/text/format.ts";
import { cutShown } from "../cut-shown.ts";
import styles from "./values-list.module.css";

/** What is shown of a long value before one opens it. */
const charsMax = 200;
const linesMax = 3;

/** The values that decide, with their names. */
export function ValuesList({ values }: { values: readonly WorkflowShownValue[] }) {
  if (values.length === 0) return null;
  return (
    <dl className={styles.values}>
      {values.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat, and the list never changes.
        <div key={index}>
          <dt>
            <bdi>{value.label}</bdi>
          </dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ of: { label, value, is_cut: isCut } }: { of: WorkflowShownValue }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? value : cutShown(value, charsMax, linesMax);
  const isShort = shown.length < value.length;
  return (
    <>
      <bdi>{shown === "" ? "(empty)" : shown}</bdi>
      {isShort && "… "}
      {isShort && (
        <button
          type="button"
          className={styles.more}
          aria-label={`Show all ${formatNumber(value.length)} characters of ${label}`}
          onClick={() => setOpen(true)}
        >
          {`Show all ${formatNumber(value.length)} characters`}
        </button>
      )}
      {!isShort && isCut && <span className={styles.cut}> … (cut: the hub shows no more)</span>}
    </>
  );
}
