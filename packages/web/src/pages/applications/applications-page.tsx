import { usePages } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { FilterBar } from "../../ui/tables/filter-bar.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";
import { ApplicationTable, applicationColumns } from "./application-table.tsx";

const pageSize = 100;

/** The OAuth clients of all users. */
export function ApplicationsPage() {
  const { filters, set } = useFilters<{ q?: string }>();
  const { q } = filters;
  const query = { q, limit: pageSize };
  const pages = usePages("GET /admin/api/applications", { query }, "after", { keepsLast: true });
  return (
    <Page title="Applications" lead="Clients that users have allowed to act for them by OAuth.">
      <FilterBar>
        <SearchField
          label="Search applications"
          value={q}
          onChange={(text) => set({ q: text.slice(0, 200) })}
        />
      </FilterBar>
      <Loaded
        of={pages}
        what="The applications"
        skeleton={<TableSkeleton columns={applicationColumns} lines={8} />}
      >
        {({ pages: found }) => {
          const applications = found.flatMap((page) => page.applications);
          const total = found.at(-1)?.total ?? 0;
          if (applications.length === 0) return <NoApplications isSearched={q !== undefined} />;
          return (
            <>
              <ApplicationTable
                applications={applications}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More applications" />
              <p role="status">{`${formatNumber(total)} ${total === 1 ? "application" : "applications"}`}</p>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function NoApplications({ isSearched }: { isSearched: boolean }) {
  return isSearched ? (
    <EmptyState icon="filter" title="No application matches the search">
      The search looks in names, e-mails and destinations.
    </EmptyState>
  ) : (
    <EmptyState icon="app" title="No applications yet">
      A client that supports OAuth appears here when a user has allowed it.
    </EmptyState>
  );
}
