import { Button } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import cardStyles from "../connector-card.module.css";
import { ConnectorCard } from "../connector-card.tsx";
import styles from "../connectors.module.css";
import { PluginWarning } from "../plugins/plugin-warning.tsx";
import { CatalogFilterBar } from "./catalog-filter-bar.tsx";
import { type CatalogItem, filterItems } from "./catalog-items.ts";
import { CatalogState } from "./catalog-state.tsx";
import type { useCatalog } from "./use-catalog.ts";

type Props = {
  items: readonly CatalogItem[];
  catalog: ReturnType<typeof useCatalog>["catalog"];
  isAdmin: boolean;
};

/** The connectors that are installed, and what the catalog offers. */
export function CatalogItems({ items, catalog, isAdmin }: Props) {
  const filters = useSearch({ from: "/manager/add" });
  const navigate = useNavigate({ from: "/manager/add" });
  const shown = filterItems(items, filters);
  const present = shown.filter(({ isInstalled, offer }) => isInstalled || offer === null);
  const offered = shown.filter(({ isInstalled, offer }) => !isInstalled && offer !== null);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <CatalogFilterBar items={items} filters={filters} />
      {present.length > 0 && <Section title="Installed" items={present} isAdmin={isAdmin} />}
      {filters.installed !== true && (
        <>
          <CatalogState catalog={catalog} isAdmin={isAdmin} />
          {offered.length > 0 && isAdmin && <PluginWarning />}
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
            You see a connector when an admin shares one of its rows with you.
          </EmptyState>
        ))}
    </>
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
