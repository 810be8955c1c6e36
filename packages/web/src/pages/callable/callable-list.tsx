import type { CallableOperation } from "@hub/contract/callable-operation.ts";
import { Alert, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useApi, usePages } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { WithLogo } from "../../ui/badges/with-logo.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { AskForTag, nothingSharedTitle } from "../connectors/ask-for-tag.tsx";
import styles from "./callable.module.css";
import type { CallableFilters } from "./callable-search.ts";
import { EffectBadge } from "./effect-badge.tsx";

const pageSize = 100;

/** The operations that match, or all of them by rows. */
export function CallableList({ filters }: { filters: CallableFilters }) {
  const { q, row, connector } = filters;
  const query = {
    limit: pageSize,
    ...(q !== undefined && { q }),
    ...(row !== undefined && { row }),
    ...(connector !== undefined && { connector }),
  };
  const pages = usePages("GET /manager/api/operations", { query }, "after");
  const setup = useApi("GET /profile/api/setup", {});
  const isFiltered = q !== undefined || row !== undefined || connector !== undefined;
  return (
    <Loaded
      of={pages}
      what="The operations"
      skeleton={<TableSkeleton columns={columns(q)} lines={12} />}
    >
      {(data) => {
        const operations = data.pages.flatMap((page) => page.operations);
        const { total = 0, related = [] } = data.pages[0] ?? {};
        if (operations.length === 0) {
          return isFiltered ? <NoMatch related={related} /> : <NothingShared />;
        }
        // The rows of the hub itself are there for everybody.
        const isOnlyHub = !isFiltered && setup.data?.sees_rows === false;
        return (
          <>
            {isOnlyHub && <OnlyHubNotice />}
            {related.length > 0 && <Related words={related} />}
            <DataTable
              label="Operations that you can call"
              columns={columns(q)}
              rows={operations}
              toKey={(one) => one.tool_id}
              onMore={pages.onMore}
              isLoadingMore={pages.isFetching}
              opensRows
            />
            <MoreFailed of={pages} what="More operations" />
            <p role="status">{describeCount(total, operations.length, pages.hasNextPage)}</p>
          </>
        );
      }}
    </Loaded>
  );
}

function describeCount(total: number, shown: number, hasNext: boolean): string {
  const text = `${formatNumber(total)} ${total === 1 ? "operation" : "operations"}`;
  if (shown === total || hasNext) return text;
  return `${text}, of which the best ${formatNumber(shown)} are shown. Add a word to see others.`;
}

const columns = (q: string | undefined): ReadonlyArray<Column<CallableOperation>> => [
  {
    key: "name",
    header: "Operation",
    width: "minmax(8rem, 1fr)",
    render: ({ row, operation, name }) => (
      <Link
        to="/operations/$row/$operation"
        params={{ row, operation }}
        search={q === undefined ? {} : { q }}
      >
        <bdi className={styles.lines} title={name === operation ? undefined : operation}>
          {name}
        </bdi>
      </Link>
    ),
  },
  {
    key: "row",
    header: "Row",
    width: "minmax(8rem, 1.1fr)",
    render: ({ label, connector, connector_name: name, logo }) => (
      <WithLogo connectorKey={connector} name={label} logo={logo}>
        <span className={styles.lines}>
          <bdi>{label}</bdi>
          {name !== label && (
            <>
              {" "}
              <bdi className={styles.soft}>{name}</bdi>
            </>
          )}
        </span>
      </WithLogo>
    ),
  },
  {
    key: "description",
    header: "What it does",
    width: "minmax(11rem, 2.5fr)",
    render: ({ description }) => (
      <bdi className={styles.line} title={description}>
        {description}
      </bdi>
    ),
  },
  {
    key: "effect",
    header: "Effect",
    width: "7rem",
    align: "end",
    render: (one) => <EffectBadge {...one} />,
  },
];

/** Other words that find more. */
function Related({ words }: { words: readonly string[] }) {
  return (
    <p>
      {"Little matches these words. A model gets the hint to try: "}
      {words.map((word, at) => (
        <span key={word}>
          {at > 0 && ", "}
          <Link to="/operations" search={{ q: word }}>
            {word}
          </Link>
        </span>
      ))}
      .
    </p>
  );
}

function NoMatch({ related }: { related: readonly string[] }) {
  return (
    <>
      {related.length > 0 && <Related words={related} />}
      <EmptyState icon="search" title="No operation matches">
        A model that searches for this finds nothing either. Try other words, or remove a filter.
      </EmptyState>
    </>
  );
}

function NothingShared() {
  const { isAdmin } = useMe();
  return isAdmin ? (
    <EmptyState
      icon="connectors"
      title="Nothing can be called yet"
      action={
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/manager/connectors" />}
        >
          Go to Connections
        </Button>
      }
    >
      Add a row, and enable and review its operations. Then they stand here.
    </EmptyState>
  ) : (
    <EmptyState icon="tag" title={nothingSharedTitle}>
      <AskForTag />
    </EmptyState>
  );
}

/** What every hub has for everyone is all that the user sees. */
function OnlyHubNotice() {
  const { isAdmin } = useMe();
  if (isAdmin) return null;
  return (
    <Alert color="blue" mb="md" title={nothingSharedTitle}>
      Below is only what this hub has for everyone. <AskForTag />
    </Alert>
  );
}
