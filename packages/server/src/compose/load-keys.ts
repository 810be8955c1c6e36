import type { Config } from "../config.ts";
import type { Log } from "../lib/create-log.ts";
import { createKeyRing, type KeyRing, parseKeyList } from "../secrets/key-ring.ts";
import { findKeyOrigin } from "../services/keys/keys.ts";
import { checkSealingKey } from "../services/keys/sealing-key.ts";
import { createKeyFile, readKeyFile, readRequiredKeyFile } from "../store/key-file.ts";
import { listRows } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

/** Creates the key file of a new data folder. */
export async function makeKeysAtFirst(config: Config, store: Store, log: Log): Promise<void> {
  if (config.readEncKey() !== null || (await readKeyFile(config.dataDir)) !== null) return;
  await createKeyFile(config.dataDir);
  const rows = await listRows(store.db);
  if (rows.every(({ values }) => values.every(({ sealed }) => sealed === null))) return;
  // The hub still starts, so that an admin who lost the keys can set the secrets again.
  log.error(
    { folder: config.dataDir },
    "The key file was missing, so the hub created a new one. Stored secrets can be decrypted only with the old key file: restore it, or set the secrets again",
  );
}

/** Refuses keys of the environment that cannot open what others of this database seal. */
export async function checkKeys(config: Config, store: Store, ring: KeyRing): Promise<void> {
  if (findKeyOrigin(config) === "environment") await checkSealingKey(store, ring);
}

/** The master keys from the environment or the key file. */
export async function loadRing(config: Config): Promise<KeyRing> {
  const given = config.readEncKey();
  if (given !== null) return createKeyRing(parseKeyList(given));
  // It is created at the first start only: a missing key file must not be replaced silently.
  return createKeyRing(await readRequiredKeyFile(config.dataDir));
}
