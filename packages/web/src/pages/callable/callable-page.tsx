import { Tabs } from "@mantine/core";
import { RowSelect } from "../../ui/controls/row-select.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { type FilterControl, useFilters } from "../../ui/tables/use-filters.ts";
import { useConnectorOptions } from "../connectors/use-connector-options.ts";
import { CallableList } from "./callable-list.tsx";
import type { CallableFilters } from "./callable-search.ts";
import { ModelAnswer } from "./model-answer.tsx";

/** The operations that the user's clients can call, searched as models search them. */
export function CallablePage() {
  const control = useFilters<CallableFilters>();
  const { filters, set } = control;
  const { view = "list", q = "" } = filters;
  return (
    <Page
      title="What I can call"
      lead="The operations that your clients can call for you, found and ranked as hub_search does it."
    >
      <Filters {...control} />
      <Tabs
        value={view}
        keepMounted={false}
        onChange={(next) => set({ view: next === "model" ? "model" : undefined })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="list">Operations</Tabs.Tab>
          <Tabs.Tab value="model">As a model sees it</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list">
          <CallableList filters={filters} />
        </Tabs.Panel>
        <Tabs.Panel value="model">
          {q === "" ? (
            <EmptyState icon="search" title="Search for something first">
              Type what a model would search for. This shows the exact answer of hub_search to it.
            </EmptyState>
          ) : (
            <ModelAnswer ask={{ q }} />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Filters({ filters, set, clear }: FilterControl<CallableFilters>) {
  const { q, row, connector, view } = filters;
  const connectors = useConnectorOptions();
  const isFiltered = [q, row, connector].some((one) => one !== undefined);
  return (
    <FilterBar onClear={isFiltered ? clear : undefined}>
      <SearchField
        label="Search operations"
        placeholder="What do you want to do?"
        value={q}
        onChange={(text) => set({ q: text.slice(0, 1000) })}
      />
      {/* A model's search has no filters. */}
      {view !== "model" && (
        <>
          <RowSelect
            size="xs"
            value={row ?? null}
            connector={connector}
            any="Any row"
            onChange={(id) => set({ row: id ?? undefined })}
          />
          <FilterSelect
            label="Connector"
            any="Any connector"
            options={connectors}
            value={connector}
            onChange={(key) => set({ connector: key, row: undefined })}
          />
        </>
      )}
    </FilterBar>
  );
}
