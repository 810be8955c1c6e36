import { randomBytes } from "node:crypto";
import type { Key, KeyList, KeyOrigin, KeyRotation } from "@hub/contract/key.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { createKeyRing, formatKeyId, toKeyId } from "../../secrets/key-ring.ts";
import { type Db, transaction } from "../../store/database.ts";
import { readRequiredKeyFile, writeKeyFile } from "../../store/key-file.ts";
import { bumpRevision } from "../../store/revision.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { countSealedValues, resealValues } from "./reseal-values.ts";

type KeyDeps = Pick<ServiceDeps, "store" | "ring" | "now"> & {
  config: Pick<Config, "dataDir" | "readEncKey">;
};

/** Lists the master keys and the number of stored secrets that are sealed with each. */
export function listKeys(deps: Omit<KeyDeps, "now">): Promise<KeyList> {
  return readKeyList(deps, deps.store.db);
}

async function readKeyList(
  { ring, config }: Pick<KeyDeps, "ring" | "config">,
  db: Db,
): Promise<KeyList> {
  const { sealing, keys } = await ring.reload();
  const counts = await countSealedValues(db);
  const present = [...keys.keys()].map((id) => ({
    id: formatKeyId(id),
    sealing: id === sealing.id,
    sealed_values: counts.get(id) ?? 0,
  }));
  return { origin: findKeyOrigin(config), keys: present };
}

/**
 * Makes a new key and seals every stored secret with it; with `HUB_ENC_KEY`, seals them with its
 * first key. Value tokens of clients open until the key that made them is removed.
 */
export async function rotateKeys(deps: KeyDeps, actor: Actor): Promise<KeyRotation> {
  const { store, ring, config, now } = deps;
  const stamp = stampChange(actor, now());
  // The transaction holds the write lock, so nothing is sealed with the old key meanwhile.
  return await transaction(store.db, async (trx) => {
    const keys =
      findKeyOrigin(config) === "file"
        ? [randomBytes(32), ...(await readRequiredKeyFile(config.dataDir))]
        : null;
    const next = keys === null ? await ring.reload() : createKeyRing(keys);
    const resealed = await resealValues(trx, next, stamp.changedAt);
    await bumpRevision(trx);
    const id = formatKeyId(next.sealing.id);
    await recordChange(trx, stamp, { action: "keys.rotate", kind: "keys", id, name: id });
    // Before the commit: a crash in between leaves both keys in the file, and every secret opens.
    if (keys !== null) await writeKeyFile(config.dataDir, keys);
    return { ...(await readKeyList(deps, trx)), sealing: id, resealed_values: resealed };
  });
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
  // Every time: an earlier removal may have died after it changed the file and before its commit.
  // This attempt must then notify the other processes.
  await transaction(store.db, bumpRevision);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    checkRemovable(findKey(await readKeyList(deps, trx), id));
    const kept = (await readRequiredKeyFile(config.dataDir)).filter(
      (bytes) => formatKeyId(toKeyId(bytes)) !== id.toLowerCase(),
    );
    await recordChange(trx, stamp, { action: "keys.remove", kind: "keys", id, name: id });
    await writeKeyFile(config.dataDir, kept);
    await bumpRevision(trx);
    return await readKeyList(deps, trx);
  });
}

export function findKeyOrigin(config: Pick<Config, "readEncKey">): KeyOrigin {
  return config.readEncKey() === null ? "file" : "environment";
}

function findKey({ keys }: KeyList, name: string): Key {
  const key = keys.find((candidate) => candidate.id === name.toLowerCase());
  if (key !== undefined) return key;
  const names = keys.map((candidate) => candidate.id).join(", ");
  throw new HubError("not_found", `There is no key "${name}". There are: ${names}.`);
}

function checkRemovable(key: Key): void {
  if (key.sealing) {
    throw new HubError("conflict", `The key ${key.id} seals new values. Rotate first.`);
  }
  if (key.sealed_values > 0) {
    throw new HubError(
      "conflict",
      `${key.sealed_values} stored secrets are sealed with the key ${key.id}. Rotate first, so that they are sealed with the new key.`,
    );
  }
}
