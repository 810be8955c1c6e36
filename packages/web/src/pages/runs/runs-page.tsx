import { Button, Switch } from "@mantine/core";
import { usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/page/card.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatExact, formatNumber } from "../../ui/text/format.ts";
import { RunFilterBar } from "./run-filter-bar.tsx";
import type { RunFilters } from "./run-filters.ts";
import { RunsOverTime } from "./runs-over-time.tsx";
import { RunsTable } from "./runs-table.tsx";

const liveMs = 2000;
const pageSize = 100;

/** Every recorded call: of all users for admins, one's own for others. */
export function RunsPage() {
  const { isAdmin } = useMe();
  const control = useFilters<RunFilters>();
  const { filters, set, go } = control;
  const isFiltered = Object.keys(filters).some((name) => name !== "live");
  return (
    <Page
      title={isAdmin ? "Calls" : "Your calls"}
      lead="Every call of an operation, with its request, its answer and its outcome."
      actions={
        <Switch
          label="Live"
          checked={filters.live ?? false}
          onChange={(event) => set({ live: event.currentTarget.checked })}
        />
      }
    >
      <Card>
        <RunsOverTime filters={filters} onSelect={go} />
      </Card>
      <RunFilterBar {...control} isFiltered={isFiltered} />
      <RunList filters={filters} isFiltered={isFiltered} />
    </Page>
  );
}

function RunList({ filters, isFiltered }: { filters: RunFilters; isFiltered: boolean }) {
  const { isAdmin } = useMe();
  const { live, ...given } = filters;
  // Others ask for their own calls, which the API limits to them.
  const route = isAdmin ? "GET /manager/api/runs" : "GET /profile/api/runs";
  const query = { ...given, limit: pageSize };
  const pages = usePages(route, { query }, "before", live === true ? { everyMs: liveMs } : {});
  return (
    <Loaded of={pages} what="The calls" skeleton={<PageSkeleton lines={8} />}>
      {(data) => {
        const runs = data.pages.flatMap((page) => page.runs);
        const last = data.pages.at(-1);
        // Rare matches: the hub looks at a bounded number of calls for each page.
        const stoppedAt =
          last !== undefined && last.next !== null && last.runs.length < pageSize
            ? last.next
            : null;
        if (runs.length === 0 && stoppedAt === null) return <NoRuns isFiltered={isFiltered} />;
        const isAutomatic = pages.hasNextPage && stoppedAt === null;
        return (
          <>
            {runs.length > 0 && (
              <RunsTable
                rows={runs}
                onMore={isAutomatic ? pages.onMore : undefined}
                isLoadingMore={pages.isFetching}
              />
            )}
            <MoreFailed of={pages} what="More calls" />
            <p role="status">{describeCount(runs.length, isAutomatic, stoppedAt)}</p>
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
      }}
    </Loaded>
  );
}

function describeCount(count: number, hasMore: boolean, stoppedAt: string | null): string {
  const text = `${formatNumber(count)} ${count === 1 ? "call" : "calls"}`;
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
