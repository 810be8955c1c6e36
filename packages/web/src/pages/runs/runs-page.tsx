import { Button, SegmentedControl, Switch } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { useCompactLines } from "../../ui/tables/use-compact-lines.ts";
import { type FilterControl, useFilters } from "../../ui/tables/use-filters.ts";
import { CallBreakdown } from "./call-breakdown.tsx";
import { CallFiguresLine } from "./call-figures.tsx";
import { toExportPath } from "./export-path.ts";
import { RunFilterBar } from "./run-filter-bar.tsx";
import { isLimited, mayGroup, type RunFilters, toRunQuery } from "./run-filters.ts";
import { RunList } from "./run-list.tsx";
import { RunsOverTime } from "./runs-over-time.tsx";
import styles from "./runs-page.module.css";
import { SavedFiltersMenu } from "./saved-filters-menu.tsx";
import { SpanFilter } from "./span-filter.tsx";
import { useExactTimes } from "./use-exact-times.ts";

/** Figures cost more than the list, so they follow more rarely. */
const figuresMs = 15_000;

/** Every recorded call: of all users for admins, one's own for others. */
export function RunsPage() {
  const { isAdmin } = useMe();
  const control = useFilters<RunFilters>();
  const { filters, set, go } = control;
  const navigate = useNavigate();
  const query = toRunQuery(filters, new Date());
  const everyMs = filters.live === true ? figuresMs : undefined;
  const polled = everyMs === undefined ? {} : { everyMs };
  const figures = useApi(
    isAdmin ? "GET /manager/api/runs/figures" : "GET /profile/api/runs/figures",
    { query },
    polled,
  );
  const errors = useApi(
    isAdmin ? "GET /manager/api/runs/errors" : "GET /profile/api/runs/errors",
    { query },
    polled,
  );
  const isFiltered = isLimited(filters);
  // A step that Back takes back. The open call may not be among those that are left.
  const filter = (change: Partial<RunFilters>) => go({ ...change, open: "" });
  return (
    <Page
      title={isAdmin ? "Calls" : "Your calls"}
      lead="Every call of an operation, with its request, its answer and its outcome."
      actions={
        <>
          <SavedFiltersMenu
            filters={filters}
            isLimited={isFiltered}
            onChoose={(search) => void navigate({ to: "/manager/runs", search })}
          />
          <Button
            variant="default"
            component="a"
            href={toExportPath(query, isAdmin)}
            download="calls.jsonl"
            leftSection={<Icon name="download" />}
          >
            Export
          </Button>
        </>
      }
    >
      <SpanFilter filters={filters} onChange={filter} />
      <RunFilterBar {...control} isFiltered={isFiltered} />
      <RunList query={query} isFiltered={isFiltered} filters={filters}>
        <div className={styles.overview}>
          <Card>
            <CallFiguresLine of={figures} />
            <RunsOverTime
              query={query}
              everyMs={everyMs}
              onSelect={(span) => filter({ ...span, span: undefined })}
            />
          </Card>
          <CallBreakdown errors={errors} figures={figures} isAdmin={isAdmin} onFilter={filter} />
        </div>
        <ListHead filters={filters} set={set} />
      </RunList>
    </Page>
  );
}

/** How the list is shown. */
function ListHead({ filters, set }: Pick<FilterControl<RunFilters>, "filters" | "set">) {
  const [isExact, setExact] = useExactTimes();
  const [isCompact, setCompact] = useCompactLines();
  return (
    <div className={styles.head}>
      <SegmentedControl
        size="xs"
        aria-label="Times"
        value={isExact ? "exact" : "relative"}
        onChange={(value) => setExact(value === "exact")}
        data={[
          { value: "exact", label: "Exact times" },
          { value: "relative", label: "Relative" },
        ]}
      />
      <div className={styles.switches}>
        {/* Filters of single calls find those of messages and scripts too. */}
        {mayGroup(filters) && (
          <Switch
            label="Each call of messages and scripts"
            checked={filters.each ?? false}
            onChange={(event) => set({ each: event.currentTarget.checked })}
          />
        )}
        <Switch
          label="Compact lines"
          checked={isCompact}
          onChange={(event) => setCompact(event.currentTarget.checked)}
        />
        <Switch
          label="Live"
          checked={filters.live ?? false}
          onChange={(event) => set({ live: event.currentTarget.checked })}
        />
      </div>
    </div>
  );
}
