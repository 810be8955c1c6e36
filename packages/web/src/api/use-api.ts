import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useRouteContext } from "@tanstack/react-router";
import type { ApiError } from "./api-error.ts";
import type { Answer, ApiClient, Input, InputArgs, ReadRoute, Route } from "./call-api.ts";
import { readAgain } from "./read-again.ts";

/** What the router gives to every page. */
export type AppContext = { api: ApiClient; queries: QueryClient };

/** For what is neither a reading nor a single change, such as a form that saves itself. */
export function useApiClient(): ApiClient {
  // The root route's context is of this type: see router.tsx.
  return (useRouteContext({ strict: false }) as AppContext).api;
}

type ReadOptions = {
  /** Asks again at this interval while someone looks: see `watchAttention`. */
  everyMs?: number;
  /** False while the input is not known yet. */
  isOn?: boolean;
  /** Gives the answer to the input before, while that to a new one is read. For a search. */
  keepsLast?: boolean;
};

type ReadOneOptions<T> = Omit<ReadOptions, "everyMs"> & {
  /** Also by what was read last. Undefined asks no more. */
  everyMs?: number | ((last: T | undefined) => number | undefined);
};

/** Reads from the API. The answer is shared by all components that read the same. */
export function useApi<R extends ReadRoute>(
  route: R,
  input: Input<R>,
  { everyMs, isOn = true, keepsLast = false }: ReadOneOptions<Answer<R>> = {},
) {
  const api = useApiClient();
  return useQuery<Answer<R>, ApiError>({
    ...(keepsLast && { placeholderData: keepPreviousData }),
    queryKey: [route, input],
    // Ends with the last component that reads it: a search for an earlier text, a page that was left.
    queryFn: ({ signal }) => api.call(route, ...([input, signal] as InputArgs<R>)),
    enabled: isOn,
    refetchInterval: ({ state }) =>
      (typeof everyMs === "function" ? everyMs(state.data) : everyMs) ?? false,
  });
}

type PagedRoute = {
  [R in ReadRoute]: Answer<R> extends { next: string | null } ? R : never;
}[ReadRoute];

type Polled = { state: { data: { pages: unknown[] } | undefined } };

/** Reads a list page by page; `cursor` is the name of the parameter that takes `next`. */
export function usePages<R extends PagedRoute>(
  route: R,
  input: Input<R>,
  cursor: "before" | "after",
  { everyMs, isOn = true, keepsLast = false }: ReadOptions = {},
) {
  const api = useApiClient();
  const { query, ...rest } = input as { query?: object };
  const pages = useInfiniteQuery({
    queryKey: [route, input, "pages"],
    enabled: isOn,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }): Promise<Answer<R>> => {
      const paged = { ...query, ...(pageParam !== null && { [cursor]: pageParam }) };
      return api.call(route, ...([{ ...rest, query: paged }, signal] as unknown as InputArgs<R>));
    },
    // Every answer of these routes has `next`.
    getNextPageParam: (last) => (last as { next: string | null }).next,
    ...(keepsLast && { placeholderData: keepPreviousData }),
    // All loaded pages are read again, so a long list is read more rarely.
    ...(everyMs !== undefined && {
      refetchInterval: ({ state }: Polled) => everyMs * (state.data?.pages.length ?? 1),
    }),
  });
  const canGoOn = pages.hasNextPage && !pages.isFetchNextPageError;
  return {
    ...pages,
    canGoOn,
    /** Reads the next page. After a failure only the user tries again. */
    onMore: canGoOn ? () => void pages.fetchNextPage() : undefined,
  };
}

/** Reads a whole list, all its pages. For lists that are searched in the browser. */
export function useAll<R extends PagedRoute>(
  route: R,
  input: Input<R>,
  { isOn = true }: Pick<ReadOptions, "isOn"> = {},
) {
  const api = useApiClient();
  const { query, ...rest } = input as { query?: object };
  return useQuery<Array<Answer<R>>, ApiError>({
    queryKey: [route, input, "all"],
    enabled: isOn,
    async queryFn({ signal }) {
      const pages: Array<Answer<R>> = [];
      let after: string | null = null;
      do {
        const paged: object = { ...query, ...(after !== null && { after }) };
        const page: Answer<R> = await api.call(
          route,
          ...([{ ...rest, query: paged }, signal] as unknown as InputArgs<R>),
        );
        pages.push(page);
        // Every answer of these routes has `next`.
        after = (page as { next: string | null }).next;
      } while (after !== null);
      return pages;
    },
  });
}

type ChangeOptions<R extends Route> = {
  /** The routes whose answers change with it. Their answers are read again. */
  refreshes: readonly ReadRoute[];
  onDone?: (answer: Answer<R>, input: Input<R>) => void;
  /** For failures that are not shown beside the button by `error`. */
  onFailed?: (error: ApiError) => void;
};

/** Changes something by the API. `run(input)` starts it; `isPending` and `error` say how it goes. */
export function useChange<R extends Exclude<Route, ReadRoute>>(
  route: R,
  { refreshes, onDone, onFailed }: ChangeOptions<R>,
) {
  const api = useApiClient();
  const queries = useQueryClient();
  const { mutate, ...state } = useMutation<Answer<R>, ApiError, Input<R>>({
    mutationFn: (input) => api.call(route, ...([input] as InputArgs<R>)),
    onSuccess: async (answer, input) => {
      await readAgain(queries, refreshes);
      onDone?.(answer, input);
    },
    onError: async (error) => {
      onFailed?.(error);
      if (!["not_found", "conflict"].includes(error.code)) return;
      // Another admin was faster: what is shown is read again.
      await readAgain(queries, refreshes);
    },
  });
  return { ...state, run: (...[input]: InputArgs<R>) => mutate((input ?? {}) as Input<R>) };
}
