import { useNavigate, useSearch } from "@tanstack/react-router";
import { changeFilters } from "./text-filters.ts";

type Change<Filters> = { [_ in keyof Filters]?: Filters[_] | "" | undefined };

export type FilterControl<Filters> = {
  filters: Filters;
  /** True if something is filtered. */
  isFiltered: boolean;
  /** Changes filters. Empty ones are removed from the address. */
  set: (change: Change<Filters>) => void;
  /** The same as a step that Back takes back. */
  go: (change: Change<Filters>) => void;
  clear: () => void;
};

/** The filters of a list, which stand in the address of its page. The page's route reads them. */
export function useFilters<Filters extends object>(): FilterControl<Filters> {
  const search: object = useSearch({ strict: false });
  // The route's `validateSearch` returns them.
  const filters = search as Filters;
  const navigate = useNavigate();
  const move = (change: Change<Filters>, replace: boolean) =>
    void navigate({
      to: ".",
      search: (before: object) => changeFilters(before as Filters, change),
      replace,
    });
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    set: (change) => move(change, true),
    go: (change) => move(change, false),
    clear: () => void navigate({ to: ".", search: {}, replace: true }),
  };
}
