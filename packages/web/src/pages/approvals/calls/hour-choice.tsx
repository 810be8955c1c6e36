import type { PendingCallDetail } from "@hub/contract/pending-call.ts";
import { Checkbox } from "@mantine/core";
import styles from "./calls.module.css";

type Props = {
  hour: NonNullable<PendingCallDetail["hour"]>;
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
};

/** Whether an approval holds for further calls, where the rule allows it. */
export function HourChoice({ hour: { fixed }, isChosen, onChange }: Props) {
  const same = fixed.length === 0 ? "any params" : `the same ${fixed.join(", ")}`;
  return (
    <div className={styles.hour}>
      <Checkbox
        label="Approve further calls for an hour"
        description={`Of this operation, by the same client and account, with ${same}. The user and admins can end it.`}
        checked={isChosen}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}
