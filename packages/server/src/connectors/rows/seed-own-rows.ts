import { transaction } from "../../store/database/database.ts";
import { makeRowId } from "../../store/rows/row-beginnings.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import { claimSetting, findSetting } from "../../store/settings/settings-table.ts";
import type { Store } from "../../store/store.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import { type KeptKeys, toOwnKey } from "../kept-keys.ts";

type SeededRow = {
  /** The stored setting that remembers that the row was created. */
  setting: string;
  connectorKey: string;
  label: string;
};

const seededRows: readonly SeededRow[] = [
  { setting: "hub_row_seeded", connectorKey: "hub", label: "Hub" },
  { setting: "workflow_row_seeded", connectorKey: "workflow", label: "Workflows" },
];

/** The keys of the connectors whose first rows the hub makes itself. */
export const seededKeys: readonly string[] = seededRows.map(({ connectorKey }) => connectorKey);

/**
 * Creates the rows of the hub's own connectors once. Once deleted, they stay deleted.
 */
export async function seedOwnRows(
  deps: { store: Pick<Store, "db">; now: () => number },
  keptKeys: KeptKeys = new Map(),
): Promise<void> {
  for (const row of seededRows) {
    const connectorKey = toOwnKey(keptKeys, row.connectorKey);
    if (connectorKey !== null) await seedRow(deps, { ...row, connectorKey });
  }
}

async function seedRow(
  deps: { store: Pick<Store, "db">; now: () => number },
  { setting, connectorKey, label }: SeededRow,
): Promise<void> {
  if ((await findSetting(deps.store.db, setting)) !== null) return;
  const id = await makeRowId(deps.store.db);
  const createdAt = deps.now();
  await transaction(deps.store.db, async (trx) => {
    // Another process may have created it.
    if (!(await claimSetting(trx, setting, "1"))) return;
    await insertRow(trx, {
      id,
      hasMadeId: true,
      connectorKey,
      owner: "built-in",
      label,
      description: "",
      tags: [EVERYONE_TAG],
      values: [],
      createdAt,
    });
  });
}
