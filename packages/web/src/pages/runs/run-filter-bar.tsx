import { useMe } from "../../api/use-me.ts";
import { RowSelect } from "../../ui/controls/row-select.tsx";
import { UserSelect } from "../../ui/controls/user-select.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import type { FilterControl } from "../../ui/tables/use-filters.ts";
import { useConnectorOptions } from "../connectors/use-connector-options.ts";
import type { RunFilters } from "./run-filters.ts";

const statuses = [
  { value: "success", label: "Success" },
  { value: "error", label: "Error" },
  { value: "denied", label: "Denied" },
  { value: "cancelled", label: "Cancelled" },
  { value: "running", label: "Running" },
] as const;
const sources = [
  { value: "mcp", label: "Client" },
  { value: "test", label: "Test" },
  { value: "retry", label: "Retry" },
  { value: "workflow", label: "Workflow" },
] as const;

/** The filters of the calls. Each choice takes effect at once and stands in the address. */
export function RunFilterBar({ filters, set, clear, isFiltered }: FilterControl<RunFilters>) {
  const { isAdmin } = useMe();
  const connectors = useConnectorOptions();
  return (
    <FilterBar onClear={isFiltered ? clear : undefined}>
      <SearchField
        label="Text in the error"
        value={filters.error}
        onChange={(error) => set({ error: error.slice(0, errorTextMax) })}
      />
      <FilterSelect
        label="Status"
        any="Any status"
        options={statuses}
        value={filters.status}
        onChange={(value) => set({ status: statuses.find((one) => one.value === value)?.value })}
      />
      <FilterSelect
        label="Source"
        any="Any source"
        options={sources}
        value={filters.source}
        onChange={(value) => set({ source: sources.find((one) => one.value === value)?.value })}
      />
      <FilterSelect
        label="Connector"
        any="Any connector"
        options={connectors}
        value={filters.connector}
        onChange={(connector) => set({ connector, row: "" })}
      />
      <RowSelect
        size="xs"
        any="Any row"
        connector={filters.connector}
        value={filters.row ?? null}
        onChange={(row) => set({ row: row ?? "" })}
      />
      {isAdmin && (
        <UserSelect
          size="xs"
          any="Any user"
          value={filters.user ?? null}
          onChange={(user) => set({ user: user ?? "" })}
        />
      )}
      <SearchField
        label="Operation"
        value={filters.operation}
        onChange={(operation) => set({ operation })}
      />
      {filters.code !== undefined && (
        <FilterSelect
          label="Error code"
          any="Any error"
          options={[{ value: filters.code, label: filters.code }]}
          value={filters.code}
          onChange={(code) => set({ code })}
        />
      )}
    </FilterBar>
  );
}

/** The API takes no longer text. */
const errorTextMax = 100;
