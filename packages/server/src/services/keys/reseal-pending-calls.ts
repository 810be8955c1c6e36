import { HubError } from "../../errors.ts";
import { resealPendingCall } from "../../operations/pending/sealed-request.ts";
import { toSealedStart } from "../../secrets/at-rest/at-rest.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import {
  dropSealedPendingCall,
  listOtherSealed,
  replaceSealedPendingCall,
  type SealedPendingCall,
} from "../../store/pending/sealed-pending-calls.ts";

/** Read at once: each may have a request and a result of a MiB. */
const portion = 10;

/**
 * Seals the requests and results of pending calls with the sealing key. One that no key opens is deleted, and does not stop
 * the rotation as a secret does: its call can be made again, and it ends within a day in any case. Returns the number of
 * values. An interruption leaves values of both keys, and the next rotation finds the rest.
 */
export async function resealPendingCalls(db: Db, ring: KeyRing): Promise<number> {
  const start = toSealedStart(ring.sealing.id);
  let resealed = 0;
  let after = "";
  for (;;) {
    const found = await listOtherSealed(db, { start, after, limit: portion });
    for (const call of found) resealed += await resealOne(db, ring, call);
    const last = found.at(-1);
    if (last === undefined || found.length < portion) return resealed;
    after = last.id;
  }
}

async function resealOne(db: Db, ring: KeyRing, call: SealedPendingCall): Promise<number> {
  const { id } = call;
  try {
    const to = await resealPendingCall(ring, id, call);
    return await transaction(db, (trx) => replaceSealedPendingCall(trx, { id, from: call, to }));
  } catch (thrown) {
    if (!(thrown instanceof HubError) || thrown.code !== "bad_configuration") throw thrown;
    await transaction(db, (trx) => dropSealedPendingCall(trx, call));
    return 0;
  }
}
