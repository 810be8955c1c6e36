import { Button } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../../api/call-api.ts";
import { formatNumber } from "../../../ui/text/format.ts";
import type { ShownRow } from "../shown-row.ts";
import { ApproveAllDialog } from "./approve-all-dialog.tsx";
import styles from "./review.module.css";
import type { ReviewChoices } from "./use-review-choices.ts";

type Props = {
  row: ShownRow;
  review: Answer<"GET /manager/api/rows/{row}/review">;
  choices: ReviewChoices;
};

/** Approves all that only read, or all after a question. Nothing while nothing waits. */
export function ApproveButtons({ row, review, choices }: Props) {
  const { approve, isAsking, setAsking } = choices;
  const { waiting, stamp, counts } = review;
  const [isSure, setSure] = useState(false);
  const params = { row: row.id };
  if (waiting === 0 || stamp === null) return null;
  const all = waiting === 1 ? "Approve the one" : `Approve all ${formatNumber(waiting)}`;
  return (
    <div className={styles.buttons}>
      <Button
        disabled={approve.isPending}
        onClick={() => approve.run({ params, body: { stamp, only: "reads" } })}
      >
        Approve all that only read
      </Button>
      <Button
        variant="default"
        disabled={approve.isPending}
        onClick={() => {
          setSure(false);
          setAsking(true);
        }}
      >
        {all}
      </Button>
      <ApproveAllDialog
        isAsking={isAsking}
        waiting={waiting}
        warned={counts.warnings}
        isSure={isSure}
        setSure={setSure}
        title={`${all} operations of ${row.label}?`}
        action={all}
        isBusy={approve.isPending}
        onConfirm={() => approve.run({ params, body: { stamp } })}
        onClose={() => setAsking(false)}
      />
    </div>
  );
}
