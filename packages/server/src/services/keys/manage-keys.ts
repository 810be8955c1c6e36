import { randomBytes } from "node:crypto";
import type { Key, KeyList, KeyOrigin, KeyRotation } from "@hub/contract/key.ts";
import type { Actor } from "../../changes/actor.ts";
import { type ChangeStamp, recordChange, stampChange } from "../../changes/record-change.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { createKeyRing, formatKeyId, type KeyRing, toKeyId } from "../../secrets/keys/key-ring.ts";
import {
  lockKeyFile,
  readRequiredKeyFile,
  writeKeyFile,
} from "../../store/data-folder/key-file.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { bumpRevision } from "../../store/settings/revision.ts";
import { setKeysVersion } from "../../store/settings/store-secrets.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { resealPendingCalls } from "./reseal-pending-calls.ts";
import { countSealedValues, replaceSealed, resealValues } from "./reseal-values.ts";
import { recordSealingKey } from "./sealing-key.ts";

type KeyDeps = Pick<ServiceDeps, "store" | "ring" | "now"> & {
  config: Pick<Config, "dataDir" | "readEncKey">;
};

/** Lists the master keys and the number of stored secrets that are sealed with each. */
export async function listKeys({ store, ring, config }: Omit<KeyDeps, "now">): Promise<KeyList> {
  return await readKeyList(config, await ring.reload(), store.db);
}

/**
 * Makes a new key and seals every stored secret with it; with `HUB_ENC_KEY`, seals them with its
 * first key. Value tokens of clients open until the key that made them is removed.
 */
export async function rotateKeys(deps: KeyDeps, actor: Actor): Promise<KeyRotation> {
  const { ring, config, now } = deps;
  const stamp = stampChange(actor, now());
  const rotated =
    findKeyOrigin(config) === "file"
      ? await lockKeyFile(config.dataDir, () => rotateKeyFile(deps, stamp))
      : await rotateTo(deps, stamp, await ring.reload());
  return { ...(await listKeys(deps)), ...rotated };
}

type Rotated = Pick<KeyRotation, "sealing" | "resealed_values">;

/**
 * Each sealed value has its key after every step: the new key opens, then all secrets are sealed with
 * it, then it seals new values. A crash leaves at most a new key that only opens.
 */
async function rotateKeyFile(deps: KeyDeps, stamp: ChangeStamp): Promise<Rotated> {
  const { dataDir } = deps.config;
  const old = await readRequiredKeyFile(dataDir);
  const key = randomBytes(32);
  await writeKeyFile(dataDir, [...old, key]);
  const place = (reseal: () => Promise<void>) => writeKeyFile(dataDir, [key, ...old], reseal);
  try {
    return await rotateTo(deps, stamp, createKeyRing([key, ...old]), place);
  } catch (failure) {
    // If this fails too, the key stays in the file and only opens.
    await removeUnusedKey(deps, key).catch(() => {});
    throw failure;
  }
}

/** Seals all stored secrets with the first key of `ring`; `place` makes it seal new values too. */
async function rotateTo(
  { store, config }: KeyDeps,
  stamp: ChangeStamp,
  ring: KeyRing,
  place: (reseal: () => Promise<void>) => Promise<void> = (reseal) => reseal(),
): Promise<Rotated> {
  const id = formatKeyId(ring.sealing.id);
  let resealed = 0;
  await place(async () => {
    const values = await resealValues(store.db, ring);
    resealed += await transaction(store.db, async (trx) => {
      await recordChange(trx, stamp, { action: "keys.rotate", kind: "keys", id, name: id });
      return await replaceSealed(trx, values, stamp.changedAt);
    });
    resealed += await resealPendingCalls(store.db, ring);
  });
  // Other processes that sealed with an older key start again from here on.
  await transaction(store.db, async (trx) => {
    await setKeysVersion(trx, stamp.id);
    // Of the key file, only the file itself says which key seals.
    if (findKeyOrigin(config) === "environment") await recordSealingKey(trx, ring);
    await bumpRevision(trx);
  });
  const others = await resealValues(store.db, ring);
  if (Object.values(others).some(({ length }) => length > 0)) {
    resealed += await transaction(store.db, (trx) => replaceSealed(trx, others, stamp.changedAt));
  }
  resealed += await resealPendingCalls(store.db, ring);
  return { sealing: id, resealed_values: resealed };
}

/** After a rotation that failed: a key that never sealed new values, unless it seals stored ones. */
async function removeUnusedKey({ store, config }: KeyDeps, key: Uint8Array): Promise<void> {
  const [sealing, ...older] = await readRequiredKeyFile(config.dataDir);
  const id = toKeyId(key);
  if (sealing === undefined || toKeyId(sealing) === id) return;
  if ((await countSealedValues(store.db)).has(id)) return;
  await writeKeyFile(config.dataDir, [sealing, ...older.filter((other) => toKeyId(other) !== id)]);
}

/** Refuses the sealing key, and one that stored secrets still need. */
export async function removeKey(deps: KeyDeps, actor: Actor, id: string): Promise<KeyList> {
  const { store, config, now } = deps;
  if (findKeyOrigin(config) === "environment") {
    throw new HubError(
      "conflict",
      "The keys come from HUB_ENC_KEY. Rotate, then remove the key from that variable and restart the hub.",
    );
  }
  const notifyAll = () => transaction(store.db, bumpRevision);
  // Every time: an earlier removal may have been interrupted after it changed the file and before
  // it notified the other processes.
  await notifyAll();
  const stamp = stampChange(actor, now());
  await lockKeyFile(config.dataDir, async () => {
    const keys = await readRequiredKeyFile(config.dataDir);
    const check = async (db: Db) =>
      checkRemovable(findKey(await readKeyList(config, createKeyRing(keys), db), id));
    await check(store.db);
    const kept = keys.filter((bytes) => formatKeyId(toKeyId(bytes)) !== id.toLowerCase());
    await writeKeyFile(config.dataDir, kept, () =>
      transaction(store.db, async (trx) => {
        await check(trx);
        // Other processes that sealed with the key start again from here on.
        await setKeysVersion(trx, stamp.id);
        await recordChange(trx, stamp, { action: "keys.remove", kind: "keys", id, name: id });
      }),
    );
  });
  await notifyAll();
  return await listKeys(deps);
}

export function findKeyOrigin(config: Pick<Config, "readEncKey">): KeyOrigin {
  return config.readEncKey() === null ? "file" : "environment";
}

async function readKeyList(
  config: Pick<Config, "readEncKey">,
  { sealing, keys }: KeyRing,
  db: Db,
): Promise<KeyList> {
  const counts = await countSealedValues(db);
  const present = [...keys.keys()].map((id) => ({
    id: formatKeyId(id),
    sealing: id === sealing.id,
    sealed_values: counts.get(id) ?? 0,
  }));
  return { origin: findKeyOrigin(config), keys: present };
}

function findKey({ keys }: KeyList, name: string): Key {
  const key = keys.find((candidate) => candidate.id === name.toLowerCase());
  if (key !== undefined) return key;
  const names = keys.map((candidate) => candidate.id).join(", ");
  throw new HubError("not_found", `There is no key "${name}". There are: ${names}.`);
}

function checkRemovable(key: Key): void {
  if (key.sealing) {
    throw new HubError(
      "conflict",
      `The key ${key.id} encrypts new secrets. Rotate first: hub keys rotate`,
    );
  }
  if (key.sealed_values > 0) {
    throw new HubError(
      "conflict",
      `${key.sealed_values} stored secrets are sealed with the key ${key.id}. Rotate first, so that they are sealed with the new key.`,
    );
  }
}
