import { Button } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { AskForTag, nothingSharedTitle } from "./ask-for-tag.tsx";
import styles from "./connectors.module.css";
import { ConnectionTable } from "./table/connection-table.tsx";

/** All rows that the user sees, of every connector. */
export function ConnectionsPage() {
  const { isAdmin } = useMe();
  const { q } = useSearch({ from: "/manager/connectors" });
  return (
    <Page
      title="Connections"
      lead="What your clients can reach through this hub: one row for each account or address."
      actions={
        isAdmin ? (
          <AddButton />
        ) : (
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/manager/add" />}>
            Browse the catalog
          </Button>
        )
      }
    >
      <ConnectionTable none={isAdmin ? <NoneYet /> : <NoneShared />} />
      {isAdmin && q !== undefined && (
        <p className={styles.inCatalog}>
          Not there yet?{" "}
          <Link to="/manager/add" search={{ q }}>
            Search the catalog for “<bdi>{q}</bdi>”
          </Link>
        </p>
      )}
    </Page>
  );
}

function AddButton({ variant = "filled" }: { variant?: "filled" | "default" }) {
  return (
    <Button
      variant={variant}
      leftSection={<Icon name="plus" />}
      renderRoot={(props) => <Link {...props} to="/manager/add" />}
    >
      Add a connection
    </Button>
  );
}

function NoneYet() {
  return (
    <EmptyState
      icon="connectors"
      title="No connections yet"
      action={<AddButton variant="default" />}
    >
      A connection is one account or address of an outside system, with its own settings and tags.
    </EmptyState>
  );
}

function NoneShared() {
  return (
    <EmptyState icon="connectors" title={nothingSharedTitle}>
      <AskForTag />
    </EmptyState>
  );
}
