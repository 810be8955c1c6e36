import type { RowSort } from "@hub/contract/listed-row.ts";
import { Button, NativeSelect, Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useApi } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import type { FilterControl } from "../../../ui/tables/use-filters.ts";
import { useConnectorOptions } from "../use-connector-options.ts";
import { firstOrder, type RowFilters, readSort } from "./row-filters.ts";
import styles from "./row-table.module.css";

type Props = {
  control: FilterControl<RowFilters>;
  /** Left out on the page of one connector. */
  hasConnector: boolean;
  /** Sorts that the caller has columns for. */
  sorts: ReadonlyArray<{ sort: RowSort; header: string }>;
  children: ReactNode;
};

/** Search, connector and tag of a table of rows; the order too on a phone, where it has no headers. */
export function RowFilterBar({ control, hasConnector, sorts, children }: Props) {
  const { filters, isFiltered, set } = control;
  const { isAdmin, user } = useMe();
  const connectors = useConnectorOptions({ isOn: hasConnector });
  const tags = useApi("GET /admin/api/tags", {}, { isOn: isAdmin });
  const ownTags = isAdmin ? (tags.data?.tags ?? []).map(({ name }) => name) : user.tags;
  return (
    <div className={styles.bar} role="search" aria-label="Rows">
      <SearchField
        className={styles.search}
        label="Search rows"
        placeholder={hasConnector ? "Label, connector or tag" : "Label or tag"}
        value={filters.q ?? ""}
        onChange={(q) => set({ q })}
      />
      {hasConnector && (
        <FilterChoice
          label="Connector"
          any="Any connector"
          options={connectors}
          value={filters.connector}
          onChange={(connector) => set({ connector })}
        />
      )}
      <FilterChoice
        label="Tag"
        any="Any tag"
        options={ownTags.map((name) => ({ value: name, label: name }))}
        value={filters.tag}
        onChange={(tag) => set({ tag })}
      />
      <NativeSelect
        className={styles.narrowOnly}
        aria-label="Order"
        size="xs"
        data={sorts.map(({ sort, header }) => ({
          value: sort,
          label: `By ${header.toLowerCase()}`,
        }))}
        value={filters.sort ?? "label"}
        onChange={({ currentTarget: { value } }) => {
          const sort = readSort(value) ?? "label";
          set({ sort, order: firstOrder(sort) });
        }}
      />
      {isFiltered && (
        <Button variant="subtle" size="xs" onClick={control.clear}>
          Clear filters
        </Button>
      )}
      <span className={styles.end}>{children}</span>
    </div>
  );
}

type ChoiceProps = {
  label: string;
  any: string;
  options: ReadonlyArray<{ value: string; label: string }>;
  value: string | undefined;
  onChange: (value: string) => void;
};

/** A filter with any number of values, of which the typed ones are shown. */
function FilterChoice({ label, any, options, value, onChange }: ChoiceProps) {
  const isKnown = value === undefined || options.some((option) => option.value === value);
  return (
    <Select
      className={styles.choice}
      aria-label={label}
      placeholder={any}
      size="xs"
      data={isKnown ? [...options] : [...options, { value, label: value }]}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? "")}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `Clear ${label.toLowerCase()}` }}
      limit={50}
      nothingFoundMessage="Nothing has this name."
      comboboxProps={{ shadow: "md", width: "max-content", position: "bottom-start" }}
    />
  );
}
