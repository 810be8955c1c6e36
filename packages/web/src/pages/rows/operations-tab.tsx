import type { RowOperation, RowView } from "@hub/contract/row.ts";
import { Badge, Button, Switch, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { DestructiveBadge } from "../../ui/destructive-badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageSkeleton } from "../../ui/page-skeleton.tsx";
import { firstLine } from "../connectors/connector-card.tsx";
import styles from "./rows.module.css";

/** The operations of a row, each with a switch, its inputs and a way to try it. */
export function OperationsTab({ row }: { row: RowView }) {
  const [filter, setFilter] = useState("");
  const type = useApi("GET /manager/api/connectors/{key}", { params: { key: row.connector } });
  const texts = new Map(type.data?.operations.map(({ key, description }) => [key, description]));
  const words = filter.toLowerCase().split(/\s+/);
  const found = row.operations.filter(({ key, name }) => {
    const text = `${key} ${name} ${texts.get(key) ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const enabled = row.operations.filter((one) => one.enabled).length;
  return (
    <>
      <div className={styles.filters}>
        <TextInput
          type="search"
          aria-label="Filter operations"
          placeholder="Filter operations"
          leftSection={<Icon name="search" />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <span className={styles.count} role="status">
          {filter === ""
            ? `${enabled} of ${row.operations.length} enabled`
            : `${found.length} of ${row.operations.length} shown`}
        </span>
      </div>
      {found.length === 0 ? (
        <EmptyState icon="filter" title="No operation matches">
          Search for a part of a name or of a description.
        </EmptyState>
      ) : (
        <ul className={styles.operations}>
          {found.map((operation) => (
            <Operation
              key={operation.key}
              row={row}
              operation={operation}
              description={texts.get(operation.key) ?? ""}
            />
          ))}
        </ul>
      )}
    </>
  );
}

type Props = { row: RowView; operation: RowOperation; description: string };

function Operation({ row, operation, description }: Props) {
  const { isAdmin } = useMe();
  const { key, name, enabled, destructive, test_only: isTestOnly } = operation;
  const refreshes = ["GET /manager/api/rows/{row}"] as const;
  const enable = useChange("POST /manager/api/rows/{row}/operations/{operation}/enable", {
    refreshes,
  });
  const disable = useChange("POST /manager/api/rows/{row}/operations/{operation}/disable", {
    refreshes,
  });
  const [isOpen, setOpen] = useState(false);
  const change = enabled ? disable : enable;
  const failure = enable.error ?? disable.error;
  return (
    <li className={styles.operation}>
      <div className={styles.operationHead}>
        <div className={styles.operationName}>
          <strong>{name}</strong> {name !== key && <code>{key}</code>}
          {destructive && <DestructiveBadge />}
          {isTestOnly && <Badge color="gray">Only in widgets and tests</Badge>}
        </div>
        {isAdmin && (
          <div className={styles.operationActions}>
            <Button
              size="xs"
              variant="default"
              aria-label={`Test ${key}`}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/manager/connectors/$key/$row"
                  params={{ key: row.connector, row: row.id }}
                  search={{ tab: "test", op: key }}
                />
              )}
            >
              Test
            </Button>
            {!isTestOnly && (
              <Switch
                aria-label={`${key} is enabled`}
                checked={change.isPending ? !enabled : enabled}
                disabled={change.isPending}
                onChange={() => change.run({ params: { row: row.id, operation: key } })}
              />
            )}
          </div>
        )}
      </div>
      <p className={styles.lead}>{isOpen ? description : firstLine(description)}</p>
      {failure !== null && (
        <p className={styles.bad} role="alert">
          {failure.message}
        </p>
      )}
      <button
        type="button"
        className={styles.disclosure}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} />
        {`Details of ${key}`}
      </button>
      {isOpen && <InputSchema row={row.id} operation={key} />}
    </li>
  );
}

function InputSchema({ row, operation }: { row: string; operation: string }) {
  const params = { row, operation };
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", { params });
  return (
    <Loaded of={form} what="The inputs" skeleton={<PageSkeleton lines={3} />}>
      {({ input_schema }) => <JsonTree value={input_schema} label={`Inputs of ${operation}`} />}
    </Loaded>
  );
}
