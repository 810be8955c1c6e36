import { randomBytes } from "node:crypto";
import type { Key, KeyList, KeyOrigin, KeyRotation } from "@hub/contract/key.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { createKeyRing, formatKeyId, toKeyId } from "../../secrets/key-ring.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import { readKeyFile, writeKeyFile } from "../../store/key-file.ts";
import type { Store } from "../../store/open-store.ts";
import { bumpRevision } from "../../store/revision.ts";
import type { Db } from "../../store/tables.ts";
import type { ChangeRecorder } from "../change-recorder.ts";
import { countSealedValues, resealValues } from "./reseal-values.ts";

type KeyDeps = {
  store: Store;
  ring: RingHolder;
  config: Pick<Config, "dataDir" | "readEncKey">;
  changes: ChangeRecorder;
};

export type KeyVerbs = ReturnType<typeof createKeyVerbs>;

/** Verbs on the master keys. */
export function createKeyVerbs({ store, ring, config, changes }: KeyDeps) {
  const origin = findKeyOrigin(config);

  async function list(db: Db): Promise<KeyList> {
    const { sealing, keys } = await ring.reload();
    const counts = await countSealedValues(db);
    const present = [...keys.keys()].map((id) => ({
      id: formatKeyId(id),
      sealing: id === sealing.id,
      sealed_values: counts.get(id) ?? 0,
    }));
    return { origin, keys: present };
  }

  return {
    list: (): Promise<KeyList> => list(store.db),

    /**
     * Makes a new key and seals every stored secret with it; with `HUB_ENC_KEY`, seals them with
     * its first key. Tokens that clients hold open until the key they were made with is removed.
     */
    async rotate(): Promise<KeyRotation> {
      // One transaction, which holds the write lock: nothing is sealed with the old key meanwhile.
      return store.transaction(async (trx) => {
        const keys =
          origin === "file" ? [randomBytes(32), ...(await readKeys(config.dataDir))] : null;
        const next = keys === null ? await ring.reload() : createKeyRing(keys);
        const resealed = await resealValues(trx, next);
        await bumpRevision(trx);
        const sealing = formatKeyId(next.sealing.id);
        await changes.record(trx, {
          action: "keys.rotate",
          kind: "keys",
          id: sealing,
          name: sealing,
        });
        // Before the commit: a crash in between leaves both keys there, and all still opens.
        if (keys !== null) await writeKeyFile(config.dataDir, keys);
        return {
          ...(await list(trx)),
          sealing,
          resealed_values: resealed,
        };
      });
    },

    /** Refuses the sealing key, and one that stored secrets still need. */
    async remove(name: string): Promise<KeyList> {
      if (origin === "environment") {
        throw new HubError(
          "conflict",
          "The keys come from HUB_ENC_KEY: rotate, then take the key out of that variable and start again.",
        );
      }
      // Every time: a removal that broke off before its commit took the key out of the file, and
      // who asks for it again has to reach the servers that were not told.
      await bumpRevision(store.db);
      return store.transaction(async (trx) => {
        checkRemovable(findKey(await list(trx), name));
        const kept = (await readKeys(config.dataDir)).filter(
          (bytes) => formatKeyId(toKeyId(bytes)) !== name.toLowerCase(),
        );
        await changes.record(trx, { action: "keys.remove", kind: "keys", id: name, name });
        await writeKeyFile(config.dataDir, kept);
        await bumpRevision(trx);
        return list(trx);
      });
    },
  };
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
    throw new HubError("conflict", `The key ${key.id} seals new values: rotate first.`);
  }
  if (key.sealed_values > 0) {
    throw new HubError(
      "conflict",
      `The key ${key.id} still holds ${key.sealed_values} stored secrets: rotate first, which seals them anew.`,
    );
  }
}

async function readKeys(dataDir: string): Promise<Uint8Array[]> {
  const keys = await readKeyFile(dataDir);
  if (keys !== null) return keys;
  throw new HubError(
    "bad_configuration",
    "The hub's key file is gone. An admin has to put it back.",
    { localMessage: `The key file in ${dataDir} is gone. Put it back.` },
  );
}
