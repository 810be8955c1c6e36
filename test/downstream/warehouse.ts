import { defineConnector, UpstreamError, wick } from "@hub/connector";

const shelves = new Map([
  ["bolt", 1200],
  ["nut", 0],
]);

/** What Acme keeps in store, behind a key that clients must not see. */
export const warehouse = defineConnector({
  key: "warehouse",
  name: "Warehouse",
  icon: "building-warehouse",
  tier: "builtin",
  description: "Stock of Acme's warehouses.",
  config: {
    Site: wick("required;desc=Which warehouse"),
    APIKey: wick("secret;required"),
  },
  operations: {
    count_stock: {
      name: "Count stock",
      description: "Tells how many pieces of an article are in store.",
      input: { Article: wick("required;desc=Such as bolt") },
      async run({ config, params, progress }) {
        progress(1, 2, `asking ${config.Site}`);
        const pieces = shelves.get(params.Article);
        if (pieces === undefined) {
          throw new UpstreamError(`There is no article "${params.Article}".`, { httpStatus: 404 });
        }
        return { site: config.Site, article: params.Article, pieces, signed_with: config.APIKey };
      },
    },
  },
});
