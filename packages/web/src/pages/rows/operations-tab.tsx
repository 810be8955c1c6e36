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
import { StateBadge } from "../../ui/state-badge.tsx";
import { useSteps } from "../../ui/use-steps.tsx";
import { firstLine } from "../connectors/connector-card.tsx";
import { DiscoveryCard } from "./discovery-card.tsx";
import { ReviewList } from "./review-list.tsx";
import styles from "./rows.module.css";
import { type ReviewPlace, useOperationsByRow } from "./use-review.ts";

/** A browser is slow with thousands of switches. */
const shownPerStep = 100;

type TabProps = {
  row: RowView;
  /** The part of the review that is shown. */
  place: ReviewPlace;
};

/** The operations of a row: what waits for a review, and all of them. */
export function OperationsTab({ row, place }: TabProps) {
  const { isAdmin } = useMe();
  const connectors = useApi("GET /manager/api/connectors", {});
  const isByRow = useOperationsByRow(row.connector);
  return (
    <>
      {isAdmin && isByRow === true && (
        <>
          <DiscoveryCard row={row} place={place} />
          <ReviewList row={row} place={place} />
        </>
      )}
      {row.operations.length > 0 ? (
        <OperationList row={row} />
      ) : (
        <Loaded of={connectors} what="The connector" skeleton={<PageSkeleton lines={3} />}>
          {() =>
            // The card says the same to an admin.
            (isByRow !== true || !isAdmin) && (
              <EmptyState icon="connectors" title="No operations">
                {isByRow === true
                  ? "An admin has not approved an operation of this row yet."
                  : "The connector of this row has no operations, or cannot be used now."}
              </EmptyState>
            )
          }
        </Loaded>
      )}
    </>
  );
}

/** Each operation with a switch, its inputs and a way to try it. */
function OperationList({ row }: { row: RowView }) {
  const [filter, setFilter] = useState("");
  const type = useApi("GET /manager/api/connectors/{key}", { params: { key: row.connector } });
  const texts = new Map(type.data?.operations.map(({ key, description }) => [key, description]));
  const words = filter.toLowerCase().split(/\s+/);
  const found = row.operations.filter(({ key, name }) => {
    const text = `${key} ${name} ${texts.get(key) ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const enabled = row.operations.filter((one) => one.enabled && !one.review).length;
  const { shown, more } = useSteps(found, { step: shownPerStep, of: filter });
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
        <>
          <ul className={styles.operations}>
            {shown.map((operation) => (
              <Operation
                key={operation.key}
                row={row}
                operation={operation}
                description={texts.get(operation.key) ?? ""}
              />
            ))}
          </ul>
          {more}
        </>
      )}
    </>
  );
}

const reviewBadges = {
  new: { tone: "warn", text: "New, waits for a review" },
  changed: { tone: "warn", text: "Changed, waits for a review" },
  gone: { tone: "off", text: "Gone" },
} as const;

type Props = { row: RowView; operation: RowOperation; description: string };

function Operation({ row, operation, description }: Props) {
  const { isAdmin } = useMe();
  const { key, name, enabled, review, destructive, test_only: isTestOnly } = operation;
  const isUsable = !review;
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
          {review && <StateBadge {...reviewBadges[review]} />}
        </div>
        {isAdmin && (
          <div className={styles.operationActions}>
            {isUsable && (
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
            )}
            {!isTestOnly && (
              <Switch
                aria-label={`${key} is enabled`}
                checked={isUsable && (change.isPending ? !enabled : enabled)}
                disabled={change.isPending || !isUsable}
                onChange={() => change.run({ params: { row: row.id, operation: key } })}
              />
            )}
          </div>
        )}
      </div>
      {description !== "" && (
        <p className={styles.lead}>{isOpen ? description : firstLine(description)}</p>
      )}
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
      {isOpen && <InputSchema row={row.id} operation={key} hasDescription={description === ""} />}
    </li>
  );
}

type DetailProps = {
  row: string;
  operation: string;
  /** Whether the description is shown, too. */
  hasDescription: boolean;
};

function InputSchema({ row, operation, hasDescription }: DetailProps) {
  const params = { row, operation };
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", { params });
  return (
    <Loaded of={form} what="The inputs" skeleton={<PageSkeleton lines={3} />}>
      {({ input_schema, description }) => (
        <>
          {hasDescription && description !== "" && <p className={styles.lead}>{description}</p>}
          <JsonTree value={input_schema} label={`Inputs of ${operation}`} />
        </>
      )}
    </Loaded>
  );
}
