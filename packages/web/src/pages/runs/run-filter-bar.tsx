import { hubCallerId } from "@hub/contract/hub-caller.ts";
import { useMe } from "../../api/use-me.ts";
import { RowSelect } from "../../ui/controls/row-select.tsx";
import { UserSelect } from "../../ui/controls/user-select.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { findValue, toOptions } from "../../ui/tables/named-values.ts";
import { SearchField } from "../../ui/tables/search-field.tsx";
import type { FilterControl } from "../../ui/tables/use-filters.ts";
import { sourceNames, statusNames, toCaller } from "../../ui/text/call-names.ts";
import { useConnectorOptions } from "../connectors/use-connector-options.ts";
import type { RunFilters } from "./run-filters.ts";

/** The hub itself is no user that a search finds. */
const hubOption = {
  value: hubCallerId,
  label: toCaller({ user: null, user_id: hubCallerId }),
};
/** The API takes no longer text. */
const errorTextMax = 100;

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
        options={toOptions(statusNames)}
        value={filters.status}
        onChange={(value) => set({ status: findValue(statusNames, value) })}
      />
      <FilterSelect
        label="Source"
        any="Any source"
        options={toOptions(sourceNames)}
        value={filters.source}
        onChange={(value) => set({ source: findValue(sourceNames, value) })}
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
          first={filters.user === hubCallerId ? [hubOption] : []}
          value={filters.user ?? null}
          onChange={(user) => set({ user: user ?? "" })}
        />
      )}
      <SearchField
        label="Operation"
        value={filters.operation}
        onChange={(operation) => set({ operation })}
      />
      {filters.cause_id !== undefined && (
        <FilterSelect
          label="Message or script"
          any="Any message or script"
          options={[{ value: filters.cause_id, label: `Made by ${filters.cause_id.slice(-12)}` }]}
          value={filters.cause_id}
          onChange={(cause) => set({ cause_id: cause })}
        />
      )}
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
