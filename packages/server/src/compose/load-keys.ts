import type { Config } from "../config.ts";
import { HubError } from "../errors.ts";
import type { Log } from "../lib/create-log.ts";
import { createKeyRing, type KeyRing, parseKeyList } from "../secrets/key-ring.ts";
import { createKeyFile, readKeyFile } from "../store/key-file.ts";
import type { Store } from "../store/open-store.ts";
import { listRows } from "../store/rows.ts";

/** Makes the key file that a new data folder lacks. */
export async function makeKeysAtFirst(config: Config, store: Store, log: Log): Promise<void> {
  if (config.readEncKey() !== null || (await readKeyFile(config.dataDir)) !== null) return;
  await createKeyFile(config.dataDir);
  const rows = await listRows(store.db);
  if (rows.every(({ values }) => values.every(({ sealed }) => sealed === null))) return;
  // The hub still starts, so that whoever lost the keys can set the secrets anew.
  log.error(
    { folder: config.dataDir },
    "the key file was gone and a new one was made: stored secrets open with the old one only, so put it back, or set them anew",
  );
}

/** The master keys: those of the environment, else those of the key file. */
export async function loadRing(config: Config): Promise<KeyRing> {
  const given = config.readEncKey();
  if (given !== null) return createKeyRing(parseKeyList(given));
  const keys = await readKeyFile(config.dataDir);
  if (keys !== null) return createKeyRing(keys);
  // Made at the first start only: a key that vanished later must not be replaced in silence.
  throw new HubError(
    "bad_configuration",
    "The hub's key file is gone, and stored secrets need it. An admin has to put it back.",
    {
      localMessage: `The key file in ${config.dataDir} is gone, and stored secrets need it. Put it back.`,
    },
  );
}
