import { useMemo } from "react";
import type { Answer } from "../../../api/call-api.ts";
import { useApi } from "../../../api/use-api.ts";
import { toCatalogItems } from "./catalog-items.ts";

/** What other admins change is seen after this time at the latest. */
const everyMs = 15_000;
const noOffers: Answer<"GET /manager/api/plugins/catalog">["plugins"] = [];

/** The connectors with their plugins, and the catalog, which may be missing. */
export function useCatalog() {
  const connectors = useApi("GET /manager/api/connectors", {}, { everyMs });
  const plugins = useApi("GET /manager/api/plugins", {}, { everyMs });
  const catalog = useApi("GET /manager/api/plugins/catalog", {});
  const offers = catalog.data?.plugins ?? noOffers;
  const items = useMemo(
    () =>
      connectors.data === undefined || plugins.data === undefined
        ? null
        : toCatalogItems({
            connectors: connectors.data.connectors,
            plugins: plugins.data.plugins,
            offers,
            absent: connectors.data.absent,
          }),
    [connectors.data, plugins.data, offers],
  );
  return { connectors, plugins, catalog, items };
}
