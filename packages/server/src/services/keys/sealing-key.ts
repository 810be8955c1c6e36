import { HubError } from "../../errors.ts";
import { formatKeyId, type KeyRing } from "../../secrets/keys/key-ring.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { findSetting, putSetting } from "../../store/settings/settings-table.ts";
import type { Store } from "../../store/store.ts";
import { countSealedValues } from "./reseal-values.ts";

/** Ids of the keys that sealed, newest first, separated by spaces. */
const sealingSetting = "sealing_keys";
/** Enough for servers that are slow to get a new `HUB_ENC_KEY`. */
const recordedMax = 10;

/**
 * Checks the keys of `HUB_ENC_KEY` at start, and records the one that seals. Refuses keys without
 * the recorded one: what other processes seal could not be opened, or the database is of another
 * hub. A key that sealed before does not become the recorded one again, because during a change of
 * keys servers with the old order start, too.
 */
export async function checkSealingKey({ db }: Pick<Store, "db">, ring: KeyRing): Promise<void> {
  const own = formatKeyId(ring.sealing.id);
  if (toIds(await findSetting(db, sealingSetting))[0] === own) return;
  // Of a database that is older than the record.
  const sealed = [...(await countSealedValues(db)).keys()].map(formatKeyId);
  await transaction(db, async (trx) => {
    const recorded = toIds(await findSetting(trx, sealingSetting));
    const [newest] = recorded;
    if (newest !== undefined) checkRing(ring, [newest]);
    else if (sealed.length > 0) checkRing(ring, sealed);
    if (!recorded.includes(own)) await recordSealingKey(trx, ring);
  });
}

/** The id of the key of `HUB_ENC_KEY` that seals; null if none is recorded, as with a key file. */
export async function findSealingKey({ db }: Pick<Store, "db">): Promise<string | null> {
  return toIds(await findSetting(db, sealingSetting))[0] ?? null;
}

/** Records the key that seals from now on. */
export async function recordSealingKey(trx: Transaction, ring: KeyRing): Promise<void> {
  const own = formatKeyId(ring.sealing.id);
  const older = toIds(await findSetting(trx, sealingSetting)).filter((id) => id !== own);
  await putSetting(trx, sealingSetting, [own, ...older].slice(0, recordedMax).join(" "));
}

/** The setting that records the key that seals, for a new database. */
export function toSealingSetting({ sealing }: KeyRing): [key: string, value: string] {
  return [sealingSetting, formatKeyId(sealing.id)];
}

/** Throws if the ring has none of the keys. */
function checkRing({ keys }: KeyRing, needed: readonly string[]): void {
  const present = [...keys.keys()].map(formatKeyId);
  if (needed.some((id) => present.includes(id))) return;
  throw new HubError(
    "bad_configuration",
    `HUB_ENC_KEY lacks the key ${needed.join(", ")}, which encrypts the secrets of this database; it has ${present.join(", ")}. Add the missing key. To change keys, set OLD,NEW on every server first, then NEW,OLD. If the key is lost, run: hub keys adopt`,
  );
}

function toIds(text: string | null): string[] {
  return text === null ? [] : text.split(" ");
}
