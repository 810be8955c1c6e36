import type { Store } from "../store/open-store.ts";
import { insertRow } from "../store/rows.ts";
import { findSetting, putSetting } from "../store/settings.ts";
import { EVERYONE_TAG } from "../store/tags.ts";

const seededSetting = "hub_row_seeded";

/** Makes the `hub` connector's row at the first start. Once deleted, it stays deleted. */
export async function seedHubRow(deps: {
  store: Pick<Store, "db" | "transaction">;
}): Promise<void> {
  if ((await findSetting(deps.store.db, seededSetting)) !== null) return;
  await deps.store.transaction(async (db) => {
    // Another process may have been faster.
    if ((await findSetting(db, seededSetting)) !== null) return;
    await putSetting(db, seededSetting, "1");
    await insertRow(db, {
      id: crypto.randomUUID(),
      connectorKey: "hub",
      label: "Hub",
      description: "",
      tags: [EVERYONE_TAG],
      values: [],
    });
  });
}
