import type { ReactNode } from "react";
import { EmptyState } from "./empty-state.tsx";
import { Page } from "./page-frame.tsx";

type Props = {
  /** Links to the pages above the one that is missing. */
  parent?: ReactNode;
  /** What the hub says about what is missing. */
  children?: ReactNode;
};

/** An address without a page, of something that is not there, or with a page that this user may not open. */
export function NotFound({ parent, children = "There is no page at this address." }: Props) {
  return (
    <Page title="Page not found" parent={parent}>
      <div role="alert">
        <EmptyState icon="search">{children}</EmptyState>
      </div>
    </Page>
  );
}
