import { Button } from "@mantine/core";
import { useApi, usePages } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { UserSelect } from "../../../ui/controls/user-select.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { Page } from "../../../ui/page/page-frame.tsx";
import { FilterBar, FilterSelect } from "../../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import { type FilterControl, useFilters } from "../../../ui/tables/use-filters.ts";
import { formatNumber } from "../../../ui/text/format.ts";
import { ExampleCards } from "./example-cards.tsx";
import styles from "./examples.module.css";
import { ImportDialog } from "./import-dialog.tsx";
import { NewWorkflowDialog } from "./new-workflow-dialog.tsx";
import { useExamples } from "./use-examples.ts";
import { type WorkflowFilters, workflowStates } from "./workflow-filters.ts";
import { WorkflowTable, WorkflowTableSkeleton } from "./workflow-table.tsx";

const everyMs = 15_000;
/** A page of answers stays small, with the last runs of each. */
const pageSize = 50;

type Making = NonNullable<WorkflowFilters["make"]>;

/** The workflows that the user sees. */
export function WorkflowsPage() {
  const control = useFilters<WorkflowFilters>();
  const { make: making, example, ...filters } = control.filters;
  const isFiltered = Object.keys(filters).length > 0;
  // A step that Back takes back.
  const setMaking = (make: Making | null, example = "") =>
    control.go({ make: make ?? undefined, example });
  const pages = usePages(
    "GET /manager/api/workflows",
    { query: { ...filters, limit: pageSize } },
    "after",
    {
      everyMs,
    },
  );
  const mayCreate = pages.data?.pages[0]?.may_create ?? false;
  return (
    <Page
      title="Workflows"
      lead="What runs by itself: at times, for requests, for messages, or by hand."
      actions={mayCreate && <NewButton onChoose={(make) => setMaking(make)} />}
    >
      <WorkflowFilterBar {...control} isFiltered={isFiltered} />
      <Loaded of={pages} what="The workflows" skeleton={<WorkflowTableSkeleton />}>
        {(data) => {
          const workflows = data.pages.flatMap((page) => page.workflows);
          // A page looks at a part of all workflows, so that an empty one may not be the last.
          if (workflows.length === 0 && !pages.hasNextPage) {
            return (
              <NoWorkflows
                {...control}
                isFiltered={isFiltered}
                onNew={mayCreate ? (example) => setMaking("new", example) : null}
              />
            );
          }
          const count = `${formatNumber(workflows.length)} ${workflows.length === 1 ? "workflow" : "workflows"}`;
          return (
            <>
              <WorkflowTable
                rows={workflows}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More workflows" />
              <p role="status">
                {pages.hasNextPage ? `${count} shown. More follow below.` : count}
              </p>
            </>
          );
        }}
      </Loaded>
      {making === "new" && (
        <NewWorkflowDialog
          example={example}
          onExample={(id) => control.set({ example: id })}
          onClose={() => setMaking(null)}
        />
      )}
      {making === "import" && <ImportDialog onClose={() => setMaking(null)} />}
    </Page>
  );
}

function NewButton({ onChoose }: { onChoose: (making: Making) => void }) {
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="file" />}
        onClick={() => onChoose("import")}
      >
        Import
      </Button>
      <Button leftSection={<Icon name="plus" />} onClick={() => onChoose("new")}>
        New workflow
      </Button>
    </>
  );
}

const stateNames = {
  published: "Published",
  draft: "Never published",
  disabled: "Disabled",
  failing: "Last run failed",
} satisfies Record<(typeof workflowStates)[number], string>;

function WorkflowFilterBar({ filters, set, clear, isFiltered }: FilterControl<WorkflowFilters>) {
  const { isAdmin, user } = useMe();
  const tags = useApi("GET /admin/api/tags", {}, { isOn: isAdmin });
  const names = isAdmin ? (tags.data?.tags ?? []).map(({ name }) => name) : user.tags;
  return (
    <FilterBar onClear={isFiltered ? clear : undefined}>
      <SearchField
        label="Search workflows"
        value={filters.q}
        onChange={(q) => set({ q: q.slice(0, 200) })}
      />
      <FilterSelect
        label="State"
        any="Any state"
        options={workflowStates.map((value) => ({ value, label: stateNames[value] }))}
        value={filters.state}
        onChange={(value) => set({ state: workflowStates.find((one) => one === value) })}
      />
      {isAdmin ? (
        <UserSelect
          label="Owner"
          size="xs"
          any="Any owner"
          first={[{ value: user.id, label: "Mine" }]}
          value={filters.owner ?? null}
          onChange={(owner) => set({ owner: owner ?? "" })}
        />
      ) : (
        <FilterSelect
          label="Owner"
          any="Any owner"
          options={[{ value: user.id, label: "Mine" }]}
          value={filters.owner}
          onChange={(owner) => set({ owner })}
        />
      )}
      <FilterSelect
        label="Tag"
        any="Any tag"
        options={names.map((value) => ({ value, label: value }))}
        value={filters.tag}
        onChange={(tag) => set({ tag })}
      />
    </FilterBar>
  );
}

type NoneProps = FilterControl<WorkflowFilters> & { onNew: ((example?: string) => void) | null };

function NoWorkflows({ isFiltered, clear, onNew }: NoneProps) {
  const isFirst = !isFiltered && onNew !== null;
  const examples = useExamples({ isOn: isFirst });
  if (isFiltered) {
    return (
      <EmptyState
        icon="filter"
        title="No workflow matches the filters"
        action={
          <Button variant="default" onClick={clear}>
            Clear filters
          </Button>
        }
      >
        The search looks in names and ids.
      </EmptyState>
    );
  }
  return (
    <>
      <EmptyState
        icon="workflow"
        title="No workflows yet"
        action={
          onNew !== null && (
            <Button variant="default" onClick={() => onNew()}>
              Make a workflow
            </Button>
          )
        }
      >
        {onNew === null
          ? "A workflow calls operations by itself. You see one when its owner shares a tag with you."
          : "A workflow calls operations by itself: when a time comes, a request arrives, or you start it. Each step is recorded, and a failed run can be replayed."}
      </EmptyState>
      {onNew !== null && (
        <section aria-labelledby={examplesTitle}>
          <h2 className={styles.head} id={examplesTitle}>
            Start from an example
          </h2>
          <ExampleCards examples={examples} onUse={onNew} />
        </section>
      )}
    </>
  );
}

const examplesTitle = "examples";
