import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import type { WorkflowRows } from "@hub/contract/workflow.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import { describeOwner, toRowOwner } from "../../connectors/rows/row-owner.ts";
import { parseToolId } from "../../operations/catalogue/tool-id.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listNamed, listTargets } from "./walk-body.ts";

type Registry = Pick<ConnectorRegistry, "find">;

/** The ids of the rows whose operations the nodes of bodies call, in order. */
export function listCalledIds(bodies: readonly unknown[]): string[] {
  const toolIds = bodies.flatMap((body) => listNamed(body).toolIds);
  return [...new Set(toolIds.flatMap((toolId) => parseToolId(toolId)?.rowId ?? []))].sort();
}

/** The connectors of rows, by the ids of the rows. Rows of which no owner is known are left out. */
export function toCalledRows(registry: Registry, rows: readonly RowRecord[]): WorkflowRows {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const from = findOwner(registry, row);
      return from === null ? [] : [[row.id, { connector: row.connectorKey, from }]];
    }),
  );
}

/**
 * Attack: on another hub, a row with the id that a node calls can be of other code, which would get what the node
 * sends. Returns the first row that is of another connector than the workflow names, with a sentence.
 */
export function findOtherRow(
  registry: Registry,
  { body, rows }: { body: unknown; rows: WorkflowRows },
  present: readonly RowRecord[],
): { rowId: string; message: string } | null {
  for (const row of present) {
    const named = rows[row.id];
    const owner = findOwner(registry, row);
    if (named === undefined || (owner === named.from && isSameKey(named, row))) continue;
    const node = listTargets(body).find(({ target }) => parseToolId(target)?.rowId === row.id);
    const subject = node === undefined ? "The workflow" : `The node "${node.node}"`;
    const here = owner === null ? "another connector" : describeOwner(owner, row.connectorKey);
    const message = `${subject} calls a row of ${describeOwner(named.from, named.connector)}, and here the row with this id ("${row.label}") is of ${here}. Choose an operation of another row in the body, and take this row out of rows.`;
    return { rowId: row.id, message };
  }
  return null;
}

function findOwner(registry: Registry, { owner, connectorKey }: RowRecord): RowRecord["owner"] {
  const connector = registry.find(connectorKey);
  return owner ?? (connector === null ? null : toRowOwner(connector));
}

/** Where a plugin has the key of a built-in connector, that has a key of its own. */
function isSameKey(
  { connector, from }: WorkflowRows[string],
  { connectorKey }: RowRecord,
): boolean {
  if (connector === connectorKey) return true;
  const bare = (key: string) =>
    key.startsWith(ownKeyPrefix) ? key.slice(ownKeyPrefix.length) : key;
  return from === "built-in" && bare(connector) === bare(connectorKey);
}
