import { toFieldLabel } from "@hub/contract/field-label.ts";
import type { Caller } from "../../../caller.ts";
import type { Operations } from "../../../connectors/by-row/row-operation-cache.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import { findMissingFields } from "../../../connectors/rows/find-missing-fields.ts";
import { toPlainTexts } from "../../../connectors/rows/to-plain-texts.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { waitsForReview } from "../discovery/waits-for-review.ts";
import { isShown } from "../operations/list-operations.ts";
import type { RowFacts } from "./known-row.ts";

/** Opens no secret. */
export function toFacts(
  registry: Pick<ConnectorRegistry, "find">,
  row: RowRecord,
  operations: Operations,
): RowFacts {
  const connector = registry.find(row.connectorKey);
  const label = row.label.toLowerCase();
  const name = connector?.name ?? null;
  return {
    connectorName: name,
    missing:
      connector === null ? [] : findMissingFields(connector.configFields, row).map(toFieldLabel),
    // Without shared access each user signs in, as with the personal fields of `missing`.
    lacksConnection:
      row.access === "shared" &&
      row.connectionId === null &&
      connector?.needsConnection?.(toPlainTexts(row)) === true,
    ...countOperations(connector, row, operations),
    label,
    text: `${label}\n${row.connectorKey.toLowerCase()}\n${name?.toLowerCase() ?? ""}`,
  };
}

/** `isShown` asks for nothing but the role. */
const user = { role: "user" } as Caller;

function countOperations(
  connector: RegisteredConnector | null,
  row: RowRecord,
  operations: Operations,
): Pick<RowFacts, "waiting" | "enabled"> {
  let waiting = 0;
  const enabled = { admin: 0, user: 0 };
  for (const operation of operations.values()) {
    const review = operation.fromRow?.review ?? null;
    const isEnabled = row.operationStates[operation.key] ?? true;
    if (waitsForReview(review, isEnabled)) waiting += 1;
    if (review !== null || !isEnabled) continue;
    enabled.admin += 1;
    if (isShown(user, connector, operation)) enabled.user += 1;
  }
  return { waiting, enabled };
}
