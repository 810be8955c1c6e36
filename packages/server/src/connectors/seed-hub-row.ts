import { transaction } from "../store/database.ts";
import { insertRow } from "../store/rows.ts";
import { claimSetting, findSetting } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { EVERYONE_TAG } from "../store/tags.ts";

const seededSetting = "hub_row_seeded";

/** Creates the row of the `hub` connector at the first start. Once deleted, it stays deleted. */
export async function seedHubRow(deps: {
  store: Pick<Store, "db">;
  now: () => number;
}): Promise<void> {
  if ((await findSetting(deps.store.db, seededSetting)) !== null) return;
  const id = crypto.randomUUID();
  const createdAt = deps.now();
  await transaction(deps.store.db, async (trx) => {
    // Another process may have created it.
    if (!(await claimSetting(trx, seededSetting, "1"))) return;
    await insertRow(trx, {
      id,
      connectorKey: "hub",
      label: "Hub",
      description: "",
      tags: [EVERYONE_TAG],
      values: [],
      createdAt,
    });
  });
}
