import { usePages } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";
import type { TokenState } from "./token-state.ts";
import { TokenTable, tokenColumns } from "./token-table.tsx";

type Filters = { q?: string; state?: TokenState };

const pageSize = 100;

const states = [
  { value: "active", label: "Active" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
] as const;

/** The personal access tokens of all users, without their secrets. */
export function TokensPage() {
  const { filters, set } = useFilters<Filters>();
  const query = { ...filters, state: findState(filters.state), limit: pageSize };
  const pages = usePages("GET /admin/api/tokens", { query }, "after", { keepsLast: true });
  return (
    <Page
      title="All tokens"
      lead="The personal access tokens of all users. Their secrets are not kept."
    >
      <FilterBar>
        <SearchField
          label="Search tokens"
          value={filters.q}
          onChange={(q) => set({ q: q.slice(0, 200) })}
        />
        <FilterSelect
          label="State"
          any="Any state"
          options={states}
          value={filters.state}
          onChange={(state) => set({ state: findState(state) })}
        />
      </FilterBar>
      <Loaded
        of={pages}
        what="The tokens"
        skeleton={<TableSkeleton columns={tokenColumns} lines={10} />}
      >
        {({ pages: found }) => {
          const tokens = found.flatMap((page) => page.tokens);
          if (tokens.length === 0) return <NoTokens isFiltered={Object.keys(filters).length > 0} />;
          return (
            <>
              <TokenTable tokens={tokens} onMore={pages.onMore} isLoadingMore={pages.isFetching} />
              <MoreFailed of={pages} what="More tokens" />
              <Total of={found.at(-1)?.total ?? 0} isFiltered={Object.keys(filters).length > 0} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Undefined for what else someone has put into the address. */
function findState(value: string | undefined): TokenState | undefined {
  return states.find((state) => state.value === value)?.value;
}

function NoTokens({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon="filter" title="No token matches the filters">
      The search looks in names, e-mails and the last four characters.
    </EmptyState>
  ) : (
    <EmptyState icon="key" title="No tokens yet">
      Each user makes tokens for their own clients, on their page of tokens.
    </EmptyState>
  );
}

function Total({ of, isFiltered }: { of: number; isFiltered: boolean }) {
  const match = of === 1 ? "matches" : "match";
  return (
    <p role="status">
      {`${formatNumber(of)} ${of === 1 ? "token" : "tokens"}`}
      {isFiltered && ` ${match} the filters`}
    </p>
  );
}
