import type { Run } from "@hub/contract/run.ts";
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Answer } from "../../api/call-api.ts";
import { usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { changeFilters } from "../../ui/tables/text-filters.ts";
import { isInner, toCallCount } from "../../ui/text/call-names.ts";
import { formatExact } from "../../ui/text/format.ts";
import { toPanelKeys, usePanelFocus } from "./panel-keys.ts";
import { mayGroup, type RunFilters, type RunQuery } from "./run-filters.ts";
import styles from "./run-panel.module.css";
import { RunPanel } from "./run-panel.tsx";
import { RunsTable, RunsTableSkeleton } from "./runs-table.tsx";

const liveMs = 2000;
const pageSize = 100;

type Props = {
  query: RunQuery;
  filters: RunFilters;
  isFiltered: boolean;
  /** What stands above the list, also beside the open call. */
  children: ReactNode;
};

/** The calls that match, and beside them the one that is open. */
export function RunList({ query, isFiltered, filters, children }: Props) {
  const { open, live, each = false } = filters;
  const { isAdmin } = useMe();
  // Others ask for their own calls, which the API limits to them.
  const route = isAdmin ? "GET /manager/api/runs" : "GET /profile/api/runs";
  const grouped = mayGroup(filters) && !each && { grouped: "true" };
  const input = { query: { ...query, ...grouped, limit: pageSize } };
  const pages = usePages(route, input, "before", live === true ? { everyMs: liveMs } : {});
  const runs = useMemo(() => pages.data?.pages.flatMap((page) => page.runs) ?? [], [pages.data]);
  const panel = usePanelFocus(open);
  const navigate = useNavigate();
  const show = (id: string | undefined) =>
    void navigate({
      to: "/manager/runs",
      search: (before: object) => changeFilters<RunFilters>(before, { open: id }),
      replace: true,
      resetScroll: false,
    });
  const at = runs.findIndex(({ id }) => id === open);
  const toMove = (run: Run | undefined) => (run === undefined ? null : () => show(run.id));
  const moves = {
    onNext: at === -1 ? null : toMove(runs[at + 1]),
    onPrevious: toMove(runs[at - 1]),
    onClose: () => show(undefined),
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the open call within it.
    <div
      className={styles.split}
      data-open={open !== undefined || undefined}
      onKeyDown={toPanelKeys(open !== undefined, moves)}
    >
      <div className={styles.main}>
        <div className={styles.above}>{children}</div>
        <Loaded
          of={pages}
          what="The calls"
          skeleton={
            <RunsTableSkeleton isOwn={!isAdmin} isNarrowed={open !== undefined} lines={12} />
          }
        >
          {(data) => (
            <FoundRuns
              runs={runs}
              last={data.pages.at(-1)}
              pages={pages}
              open={open}
              isFiltered={isFiltered}
            />
          )}
        </Loaded>
      </div>
      {open !== undefined && <RunPanel id={open} ref={panel} onOpen={show} {...moves} />}
    </div>
  );
}

type ListRoute = "GET /manager/api/runs" | "GET /profile/api/runs";

type FoundProps = Pick<Props, "isFiltered"> & {
  runs: readonly Run[];
  last: Answer<ListRoute> | undefined;
  pages: ReturnType<typeof usePages<ListRoute>>;
  open: string | undefined;
};

/** The calls that were found so far, and how to find older ones. */
function FoundRuns({ runs, last, pages, open, isFiltered }: FoundProps) {
  const { isAdmin } = useMe();
  // Rare matches: the hub looks at a bounded number of calls for each page.
  const stoppedAt =
    last !== undefined && last.next !== null && last.runs.length < pageSize ? last.next : null;
  if (runs.length === 0 && stoppedAt === null) return <NoRuns isFiltered={isFiltered} />;
  const isAutomatic = pages.hasNextPage && stoppedAt === null;
  return (
    <>
      {runs.length > 0 && (
        <RunsTable
          rows={runs}
          open={open}
          opensBeside
          isNarrowed={open !== undefined}
          isOwn={!isAdmin}
          onMore={isAutomatic ? pages.onMore : undefined}
          isLoadingMore={pages.isFetching}
        />
      )}
      <MoreFailed of={pages} what="More calls" />
      <p role="status">{describeCount(runs, isAutomatic, stoppedAt)}</p>
      {stoppedAt !== null && (
        <Button
          variant="default"
          size="xs"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Search older calls
        </Button>
      )}
    </>
  );
}

function describeCount(runs: readonly Run[], hasMore: boolean, stoppedAt: string | null): string {
  const shown = new Set(runs.map(({ id }) => id));
  const isLine = ({ cause }: Run) => cause.id !== null && shown.has(cause.id);
  const own = runs.filter((run) => !isInner(run) || !isLine(run)).length;
  // Those that are lines too were counted with them.
  const inner = runs.reduce((sum, { calls }) => sum + (calls?.total ?? 0), 0);
  const text = `${toCallCount(own)}${inner === 0 ? "" : `, and ${toCallCount(inner)} in messages and scripts`}`;
  if (stoppedAt !== null) return `${text} found back to ${formatExact(toStart(stoppedAt))}.`;
  return hasMore ? `${text} shown. More follow below.` : text;
}

/** The id of a call is a UUID of version 7, which contains the start of the call. */
function toStart(id: string): string {
  return new Date(Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16)).toISOString();
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon="filter" title="No call matches the filters">
      Remove a filter, or choose a longer time.
    </EmptyState>
  ) : (
    <EmptyState
      icon="runs"
      title="No calls yet"
      action={
        <Button component="a" href="/profile/mcp" variant="default">
          Connect a client
        </Button>
      }
    >
      When a client calls an operation, the call is recorded here.
    </EmptyState>
  );
}
