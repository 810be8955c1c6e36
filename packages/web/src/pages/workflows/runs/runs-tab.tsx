import type { WorkflowDetail } from "@hub/contract/workflow.ts";
import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { Button } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { usePages } from "../../../api/use-api.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { FilterBar, FilterSelect } from "../../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { changeFilters } from "../../../ui/tables/text-filters.ts";
import { TimeFilter } from "../../../ui/tables/time-filter.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { ReplayDialog } from "../../../workflow-parts/runs/replay-dialog.tsx";
import { runStateNames } from "../../../workflow-parts/runs/run-states.ts";
import type { WorkflowSearch } from "../workflow-search.ts";
import { listTriggers } from "./list-triggers.ts";
import { RunProgress } from "./run-progress.tsx";
import { RunTable, RunTableSkeleton } from "./run-table.tsx";

const everyMs = 3_000;
const pageSize = 100;
const address = "/workflows/$workflow" as const;

/** The runs of a workflow, newest first, and the one that was started here. */
export function RunsTab({ workflow }: { workflow: WorkflowDetail }) {
  const search = useSearch({ from: address });
  const navigate = useNavigate({ from: address });
  const [replayed, setReplayed] = useState<WorkflowRun | null>(null);
  const { state, trigger, from, to } = search;
  const filters = { state, trigger, from, to };
  const isFiltered = Object.values(filters).some((one) => one !== undefined);
  const set = (change: WorkflowSearch) =>
    void navigate({
      // Without filters, the address of the workflow is that of its overview.
      search: (before: WorkflowSearch) => changeFilters(before, { tab: "runs", ...change }),
      replace: true,
    });
  const pages = usePages(
    "GET /manager/api/workflows/{workflow}/runs",
    { params: { workflow: workflow.id }, query: { ...filters, limit: pageSize } },
    "after",
    { everyMs },
  );
  // Who only shares a tag does not see the body.
  const triggers = listTriggers(workflow.body);
  const showRun = (run: string) => {
    setReplayed(null);
    void navigate({ search: { run } });
  };
  return (
    <>
      {search.run !== undefined && (
        <RunProgress
          key={search.run}
          workflow={workflow}
          run={search.run}
          onReplay={setReplayed}
          onClose={() => set({ run: "" })}
        />
      )}
      <FilterBar
        onClear={
          isFiltered ? () => set({ state: undefined, trigger: "", from: "", to: "" }) : undefined
        }
      >
        <FilterSelect
          label="State"
          any="Any state"
          options={Object.entries(runStateNames).map(([value, label]) => ({ value, label }))}
          value={state}
          onChange={(value) => set({ state: states.find((one) => one === value) })}
        />
        {triggers.length > 0 && (
          <FilterSelect
            label="Trigger"
            any="Any trigger"
            options={triggers.map(({ id, label }) => ({ value: id, label }))}
            value={trigger}
            onChange={(value) => set({ trigger: value })}
          />
        )}
        <TimeFilter from={from} to={to} onChange={set} />
      </FilterBar>
      <Loaded of={pages} what="The runs" skeleton={<RunTableSkeleton workflow={workflow} />}>
        {(data) => {
          const runs = data.pages.flatMap((page) => page.runs);
          if (runs.length === 0 && !pages.hasNextPage) {
            return <NoRuns workflow={workflow} isFiltered={isFiltered} />;
          }
          return (
            <>
              <RunTable
                workflow={workflow}
                rows={runs}
                onReplay={setReplayed}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More runs" />
              <p role="status">
                {`${formatNumber(runs.length)} ${runs.length === 1 ? "run" : "runs"}`}
                {pages.hasNextPage ? " shown. More follow below." : ""}
              </p>
            </>
          );
        }}
      </Loaded>
      {replayed !== null && (
        <ReplayDialog
          run={replayed}
          version={workflow.version}
          hasOtherDraft={workflow.draft?.is_published === false}
          onStarted={showRun}
          onClose={() => setReplayed(null)}
        />
      )}
    </>
  );
}

const states = Object.keys(runStateNames) as Array<keyof typeof runStateNames>;

function NoRuns({ workflow, isFiltered }: { workflow: WorkflowDetail; isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon="filter" title="No run matches the filters">
        Remove a filter, or choose a longer time.
      </EmptyState>
    );
  }
  const isDraft = workflow.version === 0;
  const open = isDraft && workflow.access === "manage" ? "publish" : "run";
  return (
    <EmptyState
      icon="runs"
      title="No runs yet"
      action={
        workflow.may_start && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link {...props} to={address} params={{ workflow: workflow.id }} search={{ open }} />
            )}
          >
            {open === "publish" ? "Publish it" : "Run it"}
          </Button>
        )
      }
    >
      {isDraft
        ? "Publish the workflow so that its triggers start runs, or run its draft by hand."
        : "Each run is listed here, with what started it and why it failed."}
    </EmptyState>
  );
}
