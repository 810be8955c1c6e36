import type { ChangeEntry } from "@hub/contract/change.ts";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { formatExact, formatNumber, formatShort } from "../../ui/text/format.ts";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { Details } from "./change-details.tsx";
import styles from "./changes.module.css";

type Props = { change: ChangeEntry; saves: NonNullable<ChangeEntry["saves"]> };

/** The saves of a draft that one line stands for. It unfolds to each of them. */
export function DraftSaves({ change, saves: { count, since } }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.saves} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {`${formatNumber(count)} times since `}
        <time dateTime={since} title={formatExact(since)}>
          {formatShort(since)}
        </time>
      </summary>
      {isOpen && <EachSave change={change} count={count} />}
    </details>
  );
}

function EachSave({ change, count }: { change: ChangeEntry; count: number }) {
  const older = useApi("GET /admin/api/changes", {
    query: {
      action: change.action,
      actor_id: change.actor_id,
      target_id: change.target_id,
      before: change.id,
      limit: count - 1,
    },
  });
  return (
    <Loaded of={older} what="The saves" skeleton={<PageSkeleton lines={2} />}>
      {({ changes }) => (
        <ol className={styles.each}>
          {[change, ...changes].map((one) => (
            <li key={one.id}>
              <TimeAt at={one.changed_at} />
              <ul className={styles.details}>
                <Details of={one} />
              </ul>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
