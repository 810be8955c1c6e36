import type { Token } from "@hub/contract/token.ts";
import { useAll } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { FilterBar, FilterSelect } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";
import { findTokenState } from "./token-state.ts";
import { TokenTable } from "./token-table.tsx";

type Filters = { q?: string; state?: string };

const states = [
  { value: "active", label: "Active" },
  { value: "expired", label: "Expired" },
  { value: "revoked", label: "Revoked" },
];

/** The personal access tokens of all users, without their secrets. */
export function TokensPage() {
  const { filters, set } = useFilters<Filters>();
  const tokens = useAll("GET /admin/api/tokens", {});
  return (
    <Page
      title="All tokens"
      lead="The personal access tokens of all users. Their secrets are not kept."
    >
      <FilterBar>
        <SearchField label="Search tokens" value={filters.q} onChange={(q) => set({ q })} />
        <FilterSelect
          label="State"
          any="Any state"
          options={states}
          value={filters.state}
          onChange={(state) => set({ state })}
        />
      </FilterBar>
      <Loaded of={tokens} what="The tokens" skeleton={<PageSkeleton lines={8} />}>
        {(pages) => <TokenList tokens={pages.flatMap((page) => page.tokens)} filters={filters} />}
      </Loaded>
    </Page>
  );
}

function TokenList({ tokens, filters }: { tokens: readonly Token[]; filters: Filters }) {
  const now = Date.now();
  const found = tokens.filter(
    (token) =>
      matchesText(filters.q, [token.name, token.user, token.last_four]) &&
      (filters.state === undefined || findTokenState(token, now) === filters.state),
  );
  if (tokens.length === 0) {
    return (
      <EmptyState icon="key" title="No tokens yet">
        Each user makes tokens for their own clients, on their page of tokens.
      </EmptyState>
    );
  }
  if (found.length === 0) {
    return (
      <EmptyState icon="filter" title="No token matches the filters">
        The search looks in names, e-mails and the last four characters.
      </EmptyState>
    );
  }
  return (
    <>
      <TokenTable tokens={found} />
      <p role="status">{`${formatNumber(found.length)} of ${formatNumber(tokens.length)} tokens`}</p>
    </>
  );
}
