import { Button, Chip, Switch } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import type { CatalogFilters, Chip as ChipName } from "./catalog/catalog-filters.ts";
import { type CatalogItem, countChip, filterItems } from "./catalog/catalog-items.ts";
import { CatalogState } from "./catalog/catalog-state.tsx";
import { useCatalog } from "./catalog/use-catalog.ts";
import cardStyles from "./connector-card.module.css";
import { ConnectorCard } from "./connector-card.tsx";
import styles from "./connectors.module.css";
import dialogStyles from "./plugins/install-dialog.module.css";
import { InstallDialog } from "./plugins/install-dialog.tsx";
import { useFileDrop } from "./plugins/use-file-drop.ts";

/** The connector types of the hub, the installed plugins, and what the catalog offers. */
export function ConnectorsPage() {
  const { isAdmin } = useMe();
  const [isInstalling, setInstalling] = useState(false);
  const [files, setFiles] = useState<readonly File[] | null>(null);
  const isOver = useFileDrop(isAdmin, (dropped) => {
    setFiles(dropped);
    setInstalling(true);
  });
  const { connectors, plugins, catalog, items } = useCatalog();
  const skeleton = <PageSkeleton lines={6} height={96} />;
  return (
    <Page
      title="Connectors"
      lead="What your clients can reach through this hub. Each connector has rows: one for each account or address."
      actions={
        isAdmin && (
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => setInstalling(true)}
          >
            Install plugin
          </Button>
        )
      }
    >
      {isAdmin && (
        <InstallDialog
          isOpen={isInstalling}
          files={files}
          onFiles={setFiles}
          isOver={isOver}
          onClose={() => setInstalling(false)}
        />
      )}
      {isOver && !isInstalling && (
        <div className={dialogStyles.over}>
          <div>Drop the archive of a plugin to install it</div>
        </div>
      )}
      <Loaded of={connectors} what="The connectors" skeleton={skeleton}>
        {() => (
          <Loaded of={plugins} what="The plugins" skeleton={skeleton}>
            {() => items !== null && <Items items={items} catalog={catalog} isAdmin={isAdmin} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

type ItemsProps = {
  items: readonly CatalogItem[];
  catalog: ReturnType<typeof useCatalog>["catalog"];
  isAdmin: boolean;
};

function Items({ items, catalog, isAdmin }: ItemsProps) {
  const filters = useSearch({ from: "/manager/connectors" });
  const navigate = useNavigate({ from: "/manager/connectors" });
  const shown = filterItems(items, filters);
  const present = shown.filter(({ isInstalled, offer }) => isInstalled || offer === null);
  const offered = shown.filter(({ isInstalled, offer }) => !isInstalled && offer !== null);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <FilterBar items={items} filters={filters} />
      {present.length > 0 && <Section title="Installed" items={present} isAdmin={isAdmin} />}
      {filters.installed !== true && (
        <>
          <CatalogState catalog={catalog} isAdmin={isAdmin} />
          {offered.length > 0 && <Section title="Catalog" items={offered} isAdmin={isAdmin} />}
        </>
      )}
      {shown.length === 0 &&
        (isFiltered ? (
          <EmptyState
            icon="search"
            title="No connector matches"
            action={
              <Button
                variant="default"
                onClick={() => void navigate({ search: {}, replace: true })}
              >
                Clear filters
              </Button>
            }
          >
            Use fewer words, or remove a filter.
          </EmptyState>
        ) : (
          <EmptyState icon="connectors" title="No connectors yet">
            You see a connector when an admin gives you access to one of its rows.
          </EmptyState>
        ))}
    </>
  );
}

const chips: ReadonlyArray<readonly [ChipName, string]> = [
  ["builtin", "Built in"],
  ["plugin", "Plugins"],
  ["update", "Updates"],
  ["setup", "Needs setup"],
  ["disabled", "Disabled"],
];

function FilterBar({ items, filters }: { items: ItemsProps["items"]; filters: CatalogFilters }) {
  const navigate = useNavigate({ from: "/manager/connectors" });
  const set = (change: { [Name in keyof CatalogFilters]: CatalogFilters[Name] | undefined }) =>
    void navigate({
      search: (before: CatalogFilters) => withoutUnset({ ...before, ...change }),
      replace: true,
    });
  return (
    <div className={styles.bar} role="search" aria-label="Connectors">
      <SearchField
        className={styles.search}
        label="Search connectors"
        placeholder="Search by name or purpose"
        value={filters.q ?? ""}
        onChange={(q) => set({ q })}
      />
      <div className={styles.chips}>
        {chips.map(([chip, name]) => (
          <Chip
            key={chip}
            size="xs"
            variant="outline"
            checked={filters.show === chip}
            onChange={(isOn) => set({ show: isOn ? chip : undefined })}
          >
            {`${name} ${formatNumber(countChip(items, chip))}`}
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

/** Without the members that are not set, so that they do not stand in the address. */
function withoutUnset(filters: object): CatalogFilters {
  return Object.fromEntries(
    Object.entries(filters).filter(([, value]) => value !== undefined && value !== "" && value),
  );
}

/** A catalog may have thousands of plugins. */
const portion = 60;

function Section({
  title,
  items,
  isAdmin,
}: {
  title: string;
  items: readonly CatalogItem[];
  isAdmin: boolean;
}) {
  const [shown, setShown] = useState(portion);
  return (
    <section aria-label={title}>
      <h2 className={styles.section}>
        {title} <span>{formatNumber(items.length)}</span>
      </h2>
      <ul className={cardStyles.grid}>
        {items.slice(0, shown).map((item) => (
          <li key={item.key}>
            <ConnectorCard item={item} isAdmin={isAdmin} />
          </li>
        ))}
      </ul>
      {items.length > shown && (
        <p className={styles.more}>
          <Button variant="default" onClick={() => setShown(shown + portion)}>
            {`Show ${formatNumber(Math.min(portion, items.length - shown))} more`}
          </Button>
        </p>
      )}
    </section>
  );
}
