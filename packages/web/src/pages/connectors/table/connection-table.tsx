import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
import { useMe } from "../../../api/use-me.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { DataTable } from "../../../ui/tables/data-table.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { type FilterControl, useFilters } from "../../../ui/tables/use-filters.ts";
import { formatCount, formatNumber } from "../../../ui/text/format.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { BulkFailures } from "./bulk-failures.tsx";
import { ColumnChoice } from "./column-choice.tsx";
import { RowsSkeleton } from "./connection-table-skeleton.tsx";
import { fitColumns } from "./fit-columns.ts";
import { useHiddenColumns } from "./hidden-columns.ts";
import { listColumns, type RowColumn, toShownColumns } from "./row-columns.tsx";
import { RowFilterBar } from "./row-filter-bar.tsx";
import type { RowFilters } from "./row-filters.ts";
import styles from "./row-table.module.css";
import { StateChips } from "./state-chips.tsx";
import { useBulk } from "./use-bulk.ts";
import { useRowList } from "./use-row-list.ts";
import { useSelection } from "./use-selection.ts";
import { useWidthRem } from "./use-width-rem.ts";

type Props = {
  /** Key of a connector: only its rows, without their connector. */
  connector?: string;
  /** Shown instead of an empty table while nothing is filtered. */
  none: ReactNode;
  /** What stands below. It comes with the rows, so that they do not move it. */
  below?: ReactNode;
};

/** Rows with their state and their last day, sorted and filtered by the server. The address has both. */
export function ConnectionTable({ connector, none, below }: Props) {
  const { isAdmin } = useMe();
  const control = useFilters<RowFilters>();
  const given = control.filters;
  const filters = connector === undefined ? given : { ...given, connector };
  const list = useRowList(filters);
  const hasFigures = isAdmin || list.rows.some(({ activity }) => activity !== null);
  const hasConnector = connector === undefined;
  const columns = useMemo(
    () => listColumns({ isAdmin, hasFigures, hasConnector }),
    [isAdmin, hasFigures, hasConnector],
  );
  const [hidden, setHidden] = useHiddenColumns();
  const chosen = useMemo(
    () => columns.filter(({ key }) => !hidden.includes(key)),
    [columns, hidden],
  );
  const [ref, widthRem] = useWidthRem<HTMLDivElement>();
  return (
    <div ref={ref} data-none={list.rows.length === 0 || undefined}>
      <RowFilterBar
        control={control}
        hasConnector={hasConnector}
        sorts={columns.flatMap(({ sort, header }) => (sort === undefined ? [] : { sort, header }))}
      >
        <ColumnChoice
          columns={columns.filter(({ rank }) => rank > 0)}
          hidden={hidden}
          onHidden={setHidden}
        />
      </RowFilterBar>
      <StateChips
        byState={list.byState}
        total={list.total}
        chosen={given.state}
        onChoose={(state) => control.set({ state })}
      />
      <Loaded
        of={list.pages}
        what="The rows"
        skeleton={<RowsSkeleton columns={fitColumns(chosen, widthRem)} />}
      >
        {() =>
          list.rows.length > 0 ? (
            <Rows list={list} filters={filters} columns={chosen} widthRem={widthRem} />
          ) : (
            <NoRows control={control} none={none} />
          )
        }
      </Loaded>
      <MoreFailed of={list.pages} what="More rows" />
      {hasFigures && list.rows.length > 0 && (
        <p className={styles.note}>Calls, errors and p95 are those of the last 24 hours.</p>
      )}
      {(list.pages.data !== undefined || list.pages.error !== null) && (
        <div className={styles.below}>{below}</div>
      )}
    </div>
  );
}

type RowsProps = {
  list: ReturnType<typeof useRowList>;
  filters: RowFilters;
  columns: readonly RowColumn[];
  widthRem: number | null;
};

function Rows({ list, filters, columns, widthRem }: RowsProps) {
  const { isAdmin } = useMe();
  const { rows, matching, total, pages } = list;
  const selection = useSelection(rows, matching, filters);
  const bulk = useBulk(filters, selection);
  const { sort, order } = filters;
  const navigate = useNavigate();
  const onSort = useCallback(
    (change: Pick<RowFilters, "sort" | "order">) =>
      void navigate({
        to: ".",
        search: (before: RowFilters) => ({ ...before, ...change }),
        replace: true,
      }),
    [navigate],
  );
  const picks = isAdmin ? selection.picks : null;
  const shown = useMemo(
    () => toShownColumns(columns, { widthRem, picks, sort, order, onSort }),
    [columns, widthRem, picks, sort, order, onSort],
  );
  return (
    <>
      <div className={styles.over}>
        {selection.chosen > 0 ? (
          <BulkBar selection={selection} matching={matching} loaded={rows.length} bulk={bulk} />
        ) : (
          <p role="status">
            {matching === total
              ? formatCount(total, "row")
              : `${formatNumber(matching)} of ${formatCount(total, "row")}`}
          </p>
        )}
      </div>
      <BulkFailures failed={bulk.failed} onClose={bulk.hideFailed} />
      <DataTable
        label="Rows"
        rows={rows}
        columns={shown}
        toKey={({ id }) => id}
        onMore={pages.onMore}
        isLoadingMore={pages.isFetchingNextPage}
      />
    </>
  );
}

function NoRows({ control, none }: { control: FilterControl<RowFilters>; none: ReactNode }) {
  const { q, connector, tag, state } = control.filters;
  if ([q, connector, tag, state].every((one) => one === undefined)) return none;
  return (
    <EmptyState
      icon="filter"
      title="No row matches"
      action={
        <Button variant="default" onClick={control.clear}>
          Clear filters
        </Button>
      }
    >
      Use fewer words, or remove a filter.
    </EmptyState>
  );
}
