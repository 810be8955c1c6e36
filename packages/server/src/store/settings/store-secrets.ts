import { HubError } from "../../errors.ts";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { findSetting, putSetting } from "./settings-table.ts";

export const keysVersionSetting = "keys_version";
/** In each attempt but the last, another rotation or removal changed the keys. */
const attemptsMax = 5;

/**
 * Runs a transaction that stores secrets. `seal` encrypts them before it, with the current keys. If
 * the keys changed meanwhile, nothing is stored and both run again. So a key that is rotated out or
 * removed never gets another secret.
 */
type StoreDeps<Ring> = {
  store: { db: Db };
  /** The current keys. */
  ring: { reload(): Promise<Ring> };
};

export async function storeSecrets<Ring, Sealed, T>(
  { store, ring }: StoreDeps<Ring>,
  seal: (ring: Ring) => Sealed,
  change: (trx: Transaction, sealed: Sealed) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
    // Before the keys: a change between the two reads must show in the transaction.
    const version = await findKeysVersion(store.db);
    const sealed = seal(await ring.reload());
    const done = await transaction(store.db, async (trx) => {
      if ((await findKeysVersion(trx)) !== version) return null;
      return { result: await change(trx, sealed) };
    });
    if (done !== null) return done.result;
  }
  throw new HubError("conflict", "The hub's keys are changing. Try again in a moment.");
}

/** Makes concurrent transactions that seal with older keys run again. */
export async function setKeysVersion(trx: Transaction, version: string): Promise<void> {
  await putSetting(trx, keysVersionSetting, version);
}

function findKeysVersion(db: Db): Promise<string | null> {
  return findSetting(db, keysVersionSetting);
}
