import { EmptyState } from "./empty-state.tsx";
import { Page } from "./page-frame.tsx";

/** An address without a page, or with one that this user may not open. */
export function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState icon="search" title="Nothing is here">
        There is no page at this address.
      </EmptyState>
    </Page>
  );
}
