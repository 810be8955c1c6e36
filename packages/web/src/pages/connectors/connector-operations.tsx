import { Button } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/call-api.ts";
import { Badge } from "../../ui/badges/badge.tsx";
import { DestructiveBadge } from "../../ui/badges/destructive-badge.tsx";
import { Card } from "../../ui/page/card.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { firstLine } from "./connector-card.tsx";
import styles from "./connector-operations.module.css";

type Connector = Answer<"GET /manager/api/connectors/{key}">;

/** A plugin may have hundreds of operations. */
const portion = 30;

/** The operations of a connector, in portions. */
export function ConnectorOperations({ operations }: Pick<Connector, "operations">) {
  const [shown, setShown] = useState(portion);
  if (operations.length === 0) return null;
  return (
    <Card title={`Operations (${formatNumber(operations.length)})`}>
      <ul className={styles.operations}>
        {operations.slice(0, shown).map((operation) => (
          <li key={operation.key}>
            <div className={styles.operationHead}>
              <bdi>{operation.name}</bdi>
              {operation.key !== operation.name && <code>{operation.key}</code>}
              {operation.destructive && <DestructiveBadge />}
              {operation.reads && <Badge>Only reads</Badge>}
              {operation.test_only && <Badge>Only in widgets and tests</Badge>}
            </div>
            <p>{firstLine(operation.description)}</p>
          </li>
        ))}
      </ul>
      {operations.length > shown && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setShown(shown + 200)}>
          Show more
        </Button>
      )}
    </Card>
  );
}
