import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { createKeyRing, type KeyRing, parseKeyList, toKeyId } from "../../secrets/keys/key-ring.ts";
import { findKeyOrigin } from "../../services/keys/manage-keys.ts";
import { checkSealingKey, findSealingKey } from "../../services/keys/sealing-key.ts";
import {
  createKeyFile,
  readKeyFile,
  readRequiredKeyFile,
} from "../../store/data-folder/key-file.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import type { Store } from "../../store/store.ts";

/**
 * Creates the key file of a new data folder. Refuses if the database has a key of HUB_ENC_KEY. Beside sealed secrets, only what
 * may make a hub makes a key.
 */
export async function makeKeysAtFirst(
  config: Config,
  store: Store,
  { log, mayMakeHub = true }: { log: Log; mayMakeHub?: boolean },
): Promise<void> {
  if (config.readEncKey() !== null || (await readKeyFile(config.dataDir)) !== null) return;
  const recorded = await findSealingKey(store);
  if (recorded !== null) throw refuseOtherKey(config.dataDir, recorded);
  const rows = await listRows(store.db);
  const isSealed = rows.some(({ values }) => values.some(({ sealed }) => sealed !== null));
  if (isSealed && !mayMakeHub) await readRequiredKeyFile(config.dataDir);
  await createKeyFile(config.dataDir);
  if (!isSealed) return;
  // The hub still starts, so that an admin who lost the keys can set the secrets again.
  log.error(
    { folder: config.dataDir },
    "The key file was missing, so the hub created a new one. Stored secrets can be decrypted only with the old key file: restore it, or set the secrets again",
  );
}

/**
 * Refuses keys of the environment that cannot open what others of this database seal. Beside a key file, only what may make a hub
 * changes the keys.
 */
export async function checkKeys(
  config: Config,
  store: Store,
  { ring, mayMakeHub }: { ring: KeyRing; mayMakeHub: boolean },
): Promise<void> {
  if (findKeyOrigin(config) !== "environment") return;
  const file = store.isShared || mayMakeHub ? null : await readKeyFile(config.dataDir);
  if (file !== null && !file.some((key) => ring.keys.has(toKeyId(key)))) {
    throw refuseKeysBesideFile(config.dataDir);
  }
  await checkSealingKey(store, ring);
}

/** The server has the keys of the file, and could not open what these keys seal. */
function refuseKeysBesideFile(dataDir: string): HubError {
  const advice =
    "Unset HUB_ENC_KEY to use the key file. To change keys, set HUB_ENC_KEY of the server to a new key and the keys of the file: hub keys env --show prints these.";
  return new HubError("bad_configuration", `HUB_ENC_KEY has no key of the key file. ${advice}`, {
    localMessage: `HUB_ENC_KEY has no key of the key file in ${dataDir}. ${advice}`,
  });
}

/** A new key beside the recorded one would seal secrets that the server cannot open. */
function refuseOtherKey(dataDir: string, keyId: string): HubError {
  const advice =
    "Set HUB_ENC_KEY as the server has it: a service reads it from its file of settings, such as /etc/hub/hub.env. If the key is lost, set a new one in HUB_ENC_KEY and run: hub keys adopt";
  return new HubError(
    "bad_configuration",
    `The database is encrypted with the key ${keyId} of HUB_ENC_KEY, which is not set here. ${advice}`,
    {
      detail: { key: keyId },
      localMessage: `The database in ${dataDir} is encrypted with the key ${keyId} of HUB_ENC_KEY, which is not set here. ${advice}`,
    },
  );
}

/** The master keys from the environment or the key file. */
export async function loadRing(config: Config): Promise<KeyRing> {
  const given = config.readEncKey();
  if (given !== null) return createKeyRing(parseKeyList(given));
  // It is created at the first start only: a missing key file must not be replaced silently.
  return createKeyRing(await readRequiredKeyFile(config.dataDir));
}
