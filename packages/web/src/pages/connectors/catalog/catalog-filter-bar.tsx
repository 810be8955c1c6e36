import { Chip, NativeSelect, Switch } from "@mantine/core";
import { SearchField } from "../../../ui/tables/search-field.tsx";
import { useFilters } from "../../../ui/tables/use-filters.ts";
import { formatNumber } from "../../../ui/text/format.ts";
import styles from "../connectors.module.css";
import type { CatalogFilters, Chip as ChipName } from "./catalog-filters.ts";
import { type CatalogItem, countChip } from "./catalog-items.ts";
import { categories, readCategory } from "./categories.ts";

const chips: ReadonlyArray<readonly [ChipName, string]> = [
  ["builtin", "Built in"],
  ["plugin", "Plugins"],
  ["update", "Updates"],
  ["disabled", "Disabled"],
];

type Props = { items: readonly CatalogItem[]; filters: CatalogFilters };

/** Where the door to the catalog leads. */
export const catalogSearchId = "catalog-search";

/** Search, category and kind of the connectors. Kinds without a connector are left out. */
export function CatalogFilterBar({ items, filters }: Props) {
  const { set } = useFilters<CatalogFilters>();
  const shown = chips
    .map(([chip, name]) => ({ chip, name, count: countChip(items, chip) }))
    .filter(({ chip, count }) => count > 0 || filters.show === chip);
  return (
    <div className={styles.bar} role="search" aria-label="Connectors">
      <SearchField
        className={styles.search}
        id={catalogSearchId}
        label="Search connectors"
        placeholder="Search by name or purpose"
        value={filters.q ?? ""}
        onChange={(q) => set({ q })}
      />
      <NativeSelect
        size="xs"
        aria-label="Category"
        data={[{ value: "", label: "Any category" }, ...categories]}
        value={filters.category ?? ""}
        onChange={({ currentTarget: { value } }) => set({ category: readCategory(value) })}
      />
      <div className={styles.chips}>
        {shown.map(({ chip, name, count }) => (
          <Chip
            key={chip}
            size="xs"
            variant="outline"
            checked={filters.show === chip}
            onChange={(isOn) => set({ show: isOn ? chip : undefined })}
          >
            {`${name} ${formatNumber(count)}`}
          </Chip>
        ))}
      </div>
      <Switch
        size="xs"
        label="Installed only"
        checked={filters.installed === true}
        onChange={(event) => set({ installed: event.currentTarget.checked })}
      />
    </div>
  );
}
