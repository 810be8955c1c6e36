import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { transaction } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { setOperationState } from "../../store/rows/switches.ts";
import { setChannelSlug } from "../channels/manage-channels.ts";
import { disableRow, enableRow } from "../rows/manage-rows.ts";
import { disableOperation, enableOperation } from "../rows/operations/manage-operations.ts";
import { type ApplyContext, at } from "./apply-context.ts";

type Switches = {
  row: RowRecord;
  connector: RegisteredConnector;
  slug: string | undefined;
  enabled: boolean | undefined;
  operations: Readonly<Record<string, boolean>>;
};

/** Sets the slug of a row, and switches it and its operations on or off. */
export async function setRowSwitches(
  context: ApplyContext,
  place: ValuePath,
  { row, connector, slug, enabled, operations }: Switches,
): Promise<void> {
  const { deps, author } = context;
  const { actor } = author;
  if (slug !== undefined && slug !== row.slug) {
    await at(context, [...place, "slug"], () => setChannelSlug(deps, actor, row.id, { slug }));
  }
  if (enabled !== undefined && enabled === row.disabled) {
    await (enabled ? enableRow : disableRow)(deps, actor, row.id);
  }
  const known = await deps.registry.loadOperations(deps.store.db, row);
  for (const [operation, to] of Object.entries(operations)) {
    await at(context, [...place, "operations", operation], async () => {
      if (connector.discover !== undefined && !known.has(operation)) {
        await setUnknownOperation(context, row, operation, to);
        return;
      }
      await (to ? enableOperation : disableOperation)(deps, actor, row.id, { operation });
    });
  }
}

/** Of a row that brings its operations: the switch counts once the operation is discovered. */
async function setUnknownOperation(
  { deps, author }: ApplyContext,
  { id, label }: RowRecord,
  operation: string,
  enabled: boolean,
): Promise<void> {
  const stamp = stampChange(author.actor, deps.now());
  await transaction(deps.store.db, async (trx) => {
    await setOperationState(trx, id, operation, enabled, stamp.changedAt);
    const action = enabled ? "operation.enable" : "operation.disable";
    await recordChange(trx, stamp, { action, kind: "row", id, name: label, detail: { operation } });
  });
}
