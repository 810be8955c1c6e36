import { defineConnector, UpstreamError, wick } from "@hub/connector";

const shelves = new Map([
  ["bolt", 1200],
  ["nut", 0],
]);

/** Acme's stock. The API key is a secret that clients never see. */
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
      description: "Returns how many pieces of an article are in stock.",
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
