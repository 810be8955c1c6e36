import type { KeyRotation } from "@hub/contract/key.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { formatKeyId } from "../../secrets/keys/key-ring.ts";
import { countSealedValues } from "../../services/keys/reseal-values.ts";
import { recordSealingKey } from "../../services/keys/sealing-key.ts";
import { transaction } from "../../store/database/database.ts";
import { openConfiguredStore } from "../database/open-database.ts";
import { loadRing } from "./load-keys.ts";

/** The key that seals from now on, and the number of stored secrets that no key opens. */
export type AdoptedKey = Pick<KeyRotation, "sealing"> & { lost_values: number };

/**
 * Lets the hub start with the keys of `HUB_ENC_KEY` although the recorded one is lost. The hub
 * cannot be open for this: it refuses these keys.
 */
export async function adoptKeys(config: Config, log: Log): Promise<AdoptedKey> {
  if (config.readEncKey() === null) {
    throw new HubError("conflict", "The keys come from the key file. There is nothing to adopt.");
  }
  const ring = await loadRing(config);
  const store = await openConfiguredStore({ config, log, isPatient: false, mayMakeHub: false });
  try {
    const id = formatKeyId(ring.sealing.id);
    const stamp = stampChange(commandLineActor, Date.now());
    const lost = [...(await countSealedValues(store.db))].filter(([key]) => !ring.keys.has(key));
    await transaction(store.db, async (trx) => {
      await recordSealingKey(trx, ring);
      await recordChange(trx, stamp, { action: "keys.adopt", kind: "keys", id, name: id });
    });
    return { sealing: id, lost_values: lost.reduce((sum, [, count]) => sum + count, 0) };
  } finally {
    await store.close();
  }
}
