import { Button } from "@mantine/core";
import { useState } from "react";
import { usePages } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { formatCount } from "../../../ui/text/format.ts";
import styles from "./review.module.css";

/** The operations that the hub could not take over, with their reasons. They are read when it is opened. */
export function LeftOut({ row, total }: { row: string; total: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.fold} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="warning" /> {`${formatCount(total, "operation")} left out`}
      </summary>
      {isOpen && <LeftOutList row={row} />}
    </details>
  );
}

function LeftOutList({ row }: { row: string }) {
  const pages = usePages("GET /manager/api/rows/{row}/left-out", { params: { row } }, "after");
  const items = pages.data?.pages.flatMap((page) => page.left_out) ?? [];
  return (
    <>
      <ul className={styles.leftOut}>
        {items.map(({ source_name: name, reason }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat, and a line keeps no state.
          <li key={at}>
            <code>
              <bdi>{name}</bdi>
            </code>
            <span>
              <bdi>{reason}</bdi>
            </span>
          </li>
        ))}
      </ul>
      <MoreFailed of={pages} what="What else is left out" />
      {pages.onMore !== undefined && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          loading={pages.isFetchingNextPage}
          onClick={pages.onMore}
        >
          Show more
        </Button>
      )}
    </>
  );
}
