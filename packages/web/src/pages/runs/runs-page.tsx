import { Button, Switch } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useApi, usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { MoreFailed } from "../../ui/more-failed.tsx";
import { Page } from "../../ui/page.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { RunsChart } from "../../ui/runs-chart.tsx";
import { RunFilterBar } from "./run-filter-bar.tsx";
import type { RunFilters } from "./run-filters.ts";
import { RunsTable } from "./runs-table.tsx";

const liveMs = 2000;
const pageSize = 100;

/** Every recorded call: of all users for admins, one's own for others. */
export function RunsPage() {
  const { isAdmin } = useMe();
  const filters = useSearch({ from: "/manager/runs" });
  const navigate = useNavigate({ from: "/manager/runs" });
  const set = (change: Partial<RunFilters>) =>
    void navigate({
      search: (before: RunFilters) => toSearch({ ...before, ...change }),
      replace: true,
    });
  const isFiltered = Object.keys(filters).some((name) => name !== "live");
  return (
    <Page
      title={isAdmin ? "Runs" : "Your runs"}
      lead="Every call of an operation, with its request, its answer and its outcome."
      actions={
        <Switch
          label="Live"
          checked={filters.live ?? false}
          onChange={(event) => set({ live: event.currentTarget.checked })}
        />
      }
    >
      {isAdmin && <RunsOverTime filters={filters} onSelect={set} />}
      <RunFilterBar filters={filters} onChange={set}>
        {isFiltered && (
          <Button
            variant="subtle"
            size="xs"
            onClick={() => void navigate({ search: {}, replace: true })}
          >
            Clear filters
          </Button>
        )}
      </RunFilterBar>
      <RunList filters={filters} isFiltered={isFiltered} />
    </Page>
  );
}

/** Without the members that are not set, so that they do not stand in the address. */
function toSearch(filters: RunFilters): RunFilters {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined && value !== "" && value),
  );
}

function RunsOverTime({
  filters: { from, to, row, live },
  onSelect,
}: {
  filters: RunFilters;
  onSelect: (span: { from: string; to: string }) => void;
}) {
  const query = { ...(from && { from }), ...(to && { to }), ...(row && { row }) };
  const everyMs = live === true ? { everyMs: 15_000 } : {};
  const summary = useApi("GET /manager/api/runs/summary", { query }, everyMs);
  return (
    <Card>
      <Loaded of={summary} what="The chart" skeleton={<PageSkeleton lines={1} height={150} />}>
        {(answer) => <RunsChart summary={answer} onSelect={onSelect} />}
      </Loaded>
    </Card>
  );
}

function RunList({ filters, isFiltered }: { filters: RunFilters; isFiltered: boolean }) {
  const { isAdmin } = useMe();
  const { live, ...given } = filters;
  // Others ask for their own runs, which the API limits to them.
  const route = isAdmin ? "GET /manager/api/runs" : "GET /profile/api/runs";
  const query = { ...given, limit: pageSize };
  const pages = usePages(route, { query }, "before", live === true ? { everyMs: liveMs } : {});
  return (
    <Loaded of={pages} what="The runs" skeleton={<PageSkeleton lines={8} />}>
      {(data) => {
        const runs = data.pages.flatMap((page) => page.runs);
        if (runs.length === 0 && !pages.hasNextPage) return <NoRuns isFiltered={isFiltered} />;
        return (
          <>
            <RunsTable rows={runs} onMore={pages.onMore} isLoadingMore={pages.isFetching} />
            <MoreFailed of={pages} what="More runs" />
            <p role="status">
              {pages.hasNextPage
                ? `${formatNumber(runs.length)} runs shown. More follow below.`
                : `${formatNumber(runs.length)} ${runs.length === 1 ? "run" : "runs"}`}
            </p>
          </>
        );
      }}
    </Loaded>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon="filter" title="No run matches the filters">
      Remove a filter, or choose a longer time.
    </EmptyState>
  ) : (
    <EmptyState
      icon="runs"
      title="No runs yet"
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
