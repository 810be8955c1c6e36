import { useEffect, useMemo } from "react";
import type { Answer } from "../../../api/call-api.ts";
import { useApi, usePages } from "../../../api/use-api.ts";
import { toCatalogItems } from "./catalog-items.ts";

/** What other admins change is seen after this time at the latest. */
const everyMs = 15_000;
const noOffers: Answer<"GET /manager/api/plugins/catalog">["plugins"] = [];

/** The connectors with their plugins and rows, and the catalog, which may be missing. */
export function useCatalog() {
  const connectors = useApi("GET /manager/api/connectors", {}, { everyMs });
  const plugins = useApi("GET /manager/api/plugins", {}, { everyMs });
  const catalog = useApi("GET /manager/api/plugins/catalog", {});
  const rows = useAllRows();
  const offers = catalog.data?.plugins ?? noOffers;
  const items = useMemo(
    () =>
      connectors.data === undefined || plugins.data === undefined
        ? null
        : toCatalogItems({
            connectors: connectors.data.connectors,
            plugins: plugins.data.plugins,
            offers,
            rows,
          }),
    [connectors.data, plugins.data, offers, rows],
  );
  return { connectors, plugins, catalog, items };
}

/** All rows that the user sees, read page by page. */
function useAllRows() {
  const { data, hasNextPage, isFetching, fetchNextPage } = usePages(
    "GET /manager/api/rows",
    {},
    "after",
  );
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
}
