import { Skeleton } from "@mantine/core";
import { useMe } from "../../../api/use-me.ts";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { fitColumns } from "./fit-columns.ts";
import { listColumns, type RowColumn } from "./row-columns.tsx";
import styles from "./row-table.module.css";
import { useWidthRem } from "./use-width-rem.ts";

/** The rows of a connector before it is known whether there are any: filters, states, and the table. */
export function ConnectionTableSkeleton() {
  const { isAdmin } = useMe();
  const [ref, widthRem] = useWidthRem<HTMLDivElement>();
  const columns = listColumns({ isAdmin, hasFigures: isAdmin, hasConnector: false });
  return (
    <div ref={ref}>
      <Skeleton height={30} width="min(40rem, 100%)" mb="md" />
      <Skeleton height={26} width="min(26rem, 80%)" mb="md" />
      <RowsSkeleton columns={fitColumns(columns, widthRem)} />
    </div>
  );
}

/** As high as the rows that come, with the line above them. */
export function RowsSkeleton({ columns }: { columns: readonly RowColumn[] }) {
  return (
    <>
      <div className={styles.over} />
      <TableSkeleton columns={columns} lines={12} />
    </>
  );
}
