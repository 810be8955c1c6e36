import { Button } from "@mantine/core";
import { useApi, usePages } from "../../../../api/use-api.ts";
import { ConnectorLogo } from "../../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { matchesText } from "../../../../ui/tables/text-filters.ts";
import { formatCount } from "../../../../ui/text/format.ts";
import look from "./item-palette.module.css";
import { type NewItem, toNewOperation } from "./new-item.ts";
import { OperationMark } from "./operation-mark.tsx";
import { PaletteEntry, PaletteGroup, PaletteLink } from "./palette-entry.tsx";
import type { PaletteView } from "./use-palette-path.ts";

const pageSize = 50;

type ConnectorsProps = { query: string | undefined; onOpen: (place: PaletteView) => void };

/** The connectors that have rows. */
export function PaletteConnectors({ query, onOpen }: ConnectorsProps) {
  const found = useApi("GET /manager/api/connectors", {});
  const connectors = (found.data?.connectors ?? []).filter(
    ({ rows, disabled_type: isOff, name, key }) =>
      rows > 0 && !isOff && matchesText(query, [name, key]),
  );
  if (query !== undefined && connectors.length === 0) return null;
  return (
    <PaletteGroup title="Operations by connector">
      {found.error !== null && <p role="alert">{found.error.message}</p>}
      {found.data !== undefined && connectors.length === 0 && (
        <p className={look.hint}>You see no row yet.</p>
      )}
      {connectors.map((one) => (
        <PaletteLink
          key={one.key}
          name={one.name}
          about={describeConnector(one)}
          icon={
            <ConnectorLogo connectorKey={one.key} name={one.name} logo={one.logo} size="small" />
          }
          onOpen={() => onOpen({ kind: "connector", key: one.key, name: one.name })}
        />
      ))}
    </PaletteGroup>
  );
}

type RowsProps = {
  connector: { key: string; name: string };
  /** What the hub searches for; "" for all. */
  asked: string;
  onOpen: (place: PaletteView) => void;
};

/** The rows of a connector, in pages. */
export function PaletteRows({ connector, asked, onOpen }: RowsProps) {
  const query = { connector: connector.key, limit: pageSize, ...(asked !== "" && { q: asked }) };
  const pages = usePages("GET /manager/api/rows", { query }, "after", { keepsLast: true });
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <PaletteGroup title={`Rows of ${connector.name}`}>
      {rows.map((row) => (
        <PaletteLink
          key={row.id}
          name={row.label}
          about={formatCount(row.operations_enabled, "operation")}
          icon={
            <ConnectorLogo
              connectorKey={connector.key}
              name={row.label}
              logo={row.logo}
              size="small"
            />
          }
          onOpen={() => onOpen({ kind: "row", id: row.id, label: row.label, connector })}
        />
      ))}
      <Rest of={pages} isEmpty={rows.length === 0} what="row" />
    </PaletteGroup>
  );
}

type OperationsProps = {
  row: { id: string; label: string; connector: { key: string } };
  asked: string;
  onAdd: (item: NewItem) => void;
};

/** The operations of a row that can be called, in pages. */
export function PaletteOperations({ row, asked, onAdd }: OperationsProps) {
  const query = { row: row.id, limit: pageSize, ...(asked !== "" && { q: asked }) };
  const pages = usePages("GET /manager/api/operations", { query }, "after", { keepsLast: true });
  const operations = pages.data?.pages.flatMap((page) => page.operations) ?? [];
  return (
    <PaletteGroup title={`Operations of ${row.label}`}>
      {operations.map((one) => (
        <PaletteEntry
          key={one.tool_id}
          name={one.name}
          about={one.description}
          icon={
            <ConnectorLogo
              connectorKey={row.connector.key}
              name={row.label}
              logo={one.logo}
              size="small"
            />
          }
          item={toNewOperation({ row: one.row, key: one.operation, name: one.name })}
          onAdd={onAdd}
          mark={<OperationMark {...one} />}
        />
      ))}
      <Rest of={pages} isEmpty={operations.length === 0} what="operation" />
    </PaletteGroup>
  );
}

type RestProps = {
  of: Pick<ReturnType<typeof usePages>, "isPending" | "isFetching" | "error" | "onMore">;
  isEmpty: boolean;
  what: string;
};

function Rest({ of: { isPending, isFetching, error, onMore }, isEmpty, what }: RestProps) {
  return (
    <>
      {error !== null && <p role="alert">{error.message}</p>}
      {isPending && <p className={look.hint}>Loading…</p>}
      {isEmpty && !isPending && error === null && (
        <p className={look.hint} role="status">{`No ${what} is found.`}</p>
      )}
      {onMore !== undefined && (
        <Button
          variant="default"
          size="compact-sm"
          fullWidth
          leftSection={<Icon name="down" />}
          disabled={isFetching}
          onClick={onMore}
        >
          {`More ${what}s`}
        </Button>
      )}
    </>
  );
}

type Counted = { operation_count: number; operations_by_row: boolean; rows: number };

function describeConnector({ operation_count, operations_by_row: byRow, rows }: Counted): string {
  const ofRows = formatCount(rows, "row");
  return byRow ? ofRows : `${formatCount(operation_count, "operation")}, ${ofRows}`;
}
