import type { ListedOperation } from "@hub/contract/row.ts";
import { Badge, Button, Checkbox, Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { useMe } from "../../../api/use-me.ts";
import { DestructiveBadge } from "../../../ui/badges/destructive-badge.tsx";
import { StateBadge } from "../../../ui/badges/state-badge.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { JsonTree } from "../../../ui/json/json-tree.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import styles from "../rows.module.css";
import { OperationRuleDialog } from "../rules/operation-rule-dialog.tsx";
import { mayTest, type ShownRow } from "../shown-row.ts";
import { operationRefreshes as refreshes, toStamp } from "./reads-button.tsx";

const reviewBadges = {
  new: { tone: "warn", text: "New, waits for a review" },
  changed: { tone: "warn", text: "Changed, waits for a review" },
  invalid: { tone: "warn", text: "Invalid" },
  gone: { tone: "off", text: "Gone" },
} as const;

/** `stamp` names the list in which the operation stands. */
type Props = { row: ShownRow; operation: ListedOperation; stamp: string | null };

/** An operation with its switch, its inputs and a way to try it. */
export function OperationItem({ row, operation, stamp }: Props) {
  const { isAdmin } = useMe();
  const { key, name, enabled, review, destructive, description } = operation;
  const { test_only: isTestOnly, reads, may_mark: mayMark } = operation;
  const isUsable = !review;
  const mark = useChange("POST /manager/api/rows/{row}/reads", { refreshes });
  const enable = useChange("POST /manager/api/rows/{row}/operations/{operation}/enable", {
    refreshes,
  });
  const disable = useChange("POST /manager/api/rows/{row}/operations/{operation}/disable", {
    refreshes,
  });
  const [isOpen, setOpen] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const change = enabled ? disable : enable;
  const failure = enable.error ?? disable.error ?? mark.error;
  return (
    <li className={styles.operation}>
      <div className={styles.operationHead}>
        <div className={styles.operationName}>
          <strong>{name}</strong> {name !== key && <code>{key}</code>}
          {destructive && <DestructiveBadge />}
          {reads && !(isAdmin && mayMark) && <Badge color="gray">Only reads</Badge>}
          {isTestOnly && <Badge color="gray">Only in widgets and tests</Badge>}
          {review && <StateBadge {...reviewBadges[review]} />}
        </div>
        {mayTest(row, isAdmin) && (
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
            {isAdmin && (
              <Button
                size="xs"
                variant="default"
                aria-label={`Ask before ${key}`}
                onClick={() => setAsking(true)}
              >
                Ask…
              </Button>
            )}
            {isAdmin && mayMark && (
              <Checkbox
                size="xs"
                label="Only reads"
                aria-label={`${key} only reads`}
                checked={reads}
                disabled={mark.isPending || !isUsable}
                onChange={() =>
                  mark.run({
                    params: { row: row.id },
                    body: { operations: [key], reads: !reads, ...toStamp(stamp) },
                  })
                }
              />
            )}
            {isAdmin && !isTestOnly && (
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
      {isAsking && (
        <OperationRuleDialog row={row} operation={key} onClose={() => setAsking(false)} />
      )}
      {description !== "" && !isOpen && <p className={styles.lead}>{description}</p>}
      {failure !== null && (
        <p className={styles.bad} role="alert">
          {failure.message}
        </p>
      )}
      {enabled && isUsable && !isTestOnly && (
        <Link
          className={styles.asClient}
          to="/operations/$row/$operation"
          params={{ row: row.id, operation: key }}
          aria-label={`As a client sees it: ${key}`}
        >
          As a client sees it
        </Link>
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

/** The whole description of an operation, and its inputs. */
function InputSchema({ row, operation }: { row: string; operation: string }) {
  const params = { row, operation };
  const form = useApi("GET /manager/api/rows/{row}/operations/{operation}", { params });
  return (
    <Loaded of={form} what="The inputs" skeleton={<PageSkeleton lines={3} />}>
      {({ input_schema, description }) => (
        <>
          {description !== "" && <p className={styles.lead}>{description}</p>}
          <JsonTree value={input_schema} label={`Inputs of ${operation}`} />
        </>
      )}
    </Loaded>
  );
}
