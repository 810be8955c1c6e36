import type { Answer } from "../../../api/call-api.ts";
import { matchesText } from "../../../ui/tables/text-filters.ts";
import type { CatalogFilters, Chip } from "./catalog-filters.ts";
import { type Category, toCategory } from "./categories.ts";

type Connector = Answer<"GET /manager/api/connectors">["connectors"][number];
type Plugin = Answer<"GET /manager/api/plugins">["plugins"][number];
type Offer = Answer<"GET /manager/api/plugins/catalog">["plugins"][number];
type Absent = Answer<"GET /manager/api/connectors">["absent"][number];

/** A connector type: built in, of an installed plugin, or of one that could be installed. */
export type CatalogItem = {
  key: string;
  name: string;
  logo: string | null;
  description: string;
  category: Category;
  tier: "builtin" | "plugin";
  isInstalled: boolean;
  isDisabled: boolean;
  rows: number;
  /** Null while its plugin cannot be called. */
  connector: Connector | null;
  plugin: Plugin | null;
  offer: Offer | null;
};

type Lists = {
  connectors: readonly Connector[];
  plugins: readonly Plugin[];
  offers: readonly Offer[];
  /** Keys with rows whose connector is not there. */
  absent: readonly Absent[];
};

/** One item per key, sorted by name. Rows of a plugin that is nowhere make an item too. */
export function toCatalogItems({ connectors, plugins, offers, absent }: Lists): CatalogItem[] {
  const connectorOf = toMap(connectors);
  const pluginOf = toMap(plugins);
  const offerOf = toMap(offers);
  const absentOf = toMap(absent);
  const keys = [connectorOf, pluginOf, offerOf, absentOf].flatMap((one) => [...one.keys()]);
  return [...new Set(keys)]
    .map((key): CatalogItem => {
      const connector = connectorOf.get(key) ?? null;
      const plugin = pluginOf.get(key) ?? null;
      const offer = offerOf.get(key) ?? null;
      const named = connector ?? plugin ?? offer;
      return {
        key,
        name: named?.name || key,
        logo: named?.logo ?? null,
        category: toCategory({ key, icon: connector?.icon ?? "" }),
        description: named?.description ?? "",
        tier: connector?.tier ?? "plugin",
        isInstalled: connector !== null || plugin !== null,
        isDisabled: connector?.disabled_type === true || plugin?.enabled === false,
        rows: connector?.rows ?? absentOf.get(key)?.rows ?? 0,
        connector,
        plugin,
        offer,
      };
    })
    .sort((one, other) => collator.compare(one.name, other.name));
}

const collator = new Intl.Collator("en");

function toMap<T extends { key: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.key, item]));
}

const chipTests: Record<Chip, (item: CatalogItem) => boolean> = {
  builtin: ({ tier }) => tier === "builtin",
  plugin: ({ tier }) => tier === "plugin",
  update: ({ offer }) => offer?.update_available === true,
  disabled: ({ isDisabled }) => isDisabled,
};

/** The items that contain every word of the search and are of the chosen kind. */
export function filterItems(
  items: readonly CatalogItem[],
  { q, show, category, installed = false }: CatalogFilters,
): CatalogItem[] {
  return items.filter((item) => {
    if (installed && !item.isInstalled) return false;
    if (show !== undefined && !chipTests[show](item)) return false;
    if (category !== undefined && item.category !== category) return false;
    return matchesText(q, [item.key, item.name, item.description]);
  });
}

export function countChip(items: readonly CatalogItem[], chip: Chip): number {
  return items.filter(chipTests[chip]).length;
}
