import { readTextFilters } from "../../ui/tables/text-filters.ts";

/** The search of the page "What I can call", as it stands in the address. */
export type CallableFilters = {
  q?: string;
  /** Id of a row. */
  row?: string;
  /** Key of a connector. */
  connector?: string;
  /** Shows the answer that a model gets to the same words. */
  view?: "model";
};

export function readCallableFilters(search: Record<string, unknown>): CallableFilters {
  return {
    ...readTextFilters(search, ["q", "row", "connector"]),
    ...(search.view === "model" && { view: "model" }),
  };
}

export const callableTabs = ["call", "model", "client"] as const;
export type CallableTab = (typeof callableTabs)[number];

/** What the address of an operation's page says: the tab, and the words that led to it. */
export type CallableSearch = { tab?: CallableTab; q?: string };

export function readCallableSearch(search: Record<string, unknown>): CallableSearch {
  const tab = callableTabs.find((one) => one === search.tab);
  return { ...(tab !== undefined && { tab }), ...readTextFilters(search, ["q"]) };
}
