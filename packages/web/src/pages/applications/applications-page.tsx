import { useAll } from "../../api/use-api.ts";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { FilterBar } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { ApplicationTable } from "./application-table.tsx";

/** The OAuth clients of all users. */
export function ApplicationsPage() {
  const { filters, set } = useFilters<{ q?: string }>();
  const { q } = filters;
  const applications = useAll("GET /admin/api/applications", {});
  return (
    <Page title="Applications" lead="Clients that users have allowed to act for them by OAuth.">
      <FilterBar>
        <SearchField label="Search applications" value={q} onChange={(text) => set({ q: text })} />
      </FilterBar>
      <Loaded of={applications} what="The applications" skeleton={<PageSkeleton lines={6} />}>
        {(pages) => {
          const all = pages.flatMap((page) => page.applications);
          const found = all.filter((one) => matchesText(q, [one.name, one.user, one.destination]));
          if (found.length > 0) return <ApplicationTable applications={found} />;
          return all.length > 0 ? (
            <EmptyState icon="filter" title="No application matches the search">
              The search looks in names, e-mails and destinations.
            </EmptyState>
          ) : (
            <EmptyState icon="app" title="No applications yet">
              A client that supports OAuth appears here when a user has allowed it.
            </EmptyState>
          );
        }}
      </Loaded>
    </Page>
  );
}
