import {
  type PendingCallDeputy,
  type PendingCallDetail,
  pendingCallDeputySchema,
} from "@hub/contract/pending-call.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkPersonalDoor, type DecidingActor } from "../../identity/check-personal-door.ts";
import { isActive } from "../../identity/to-caller.ts";
import { checkInput, toBadRequest } from "../../lib/input/check-input.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { putDeputy } from "../../store/pending/pending-deputies.ts";
import { findUserByEmail, type User } from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { refuseUnknownCall } from "./call-rules.ts";
import { callDoorRefusal } from "./decide-pending-call.ts";
import { type ReadPendingDeps, readPendingCall } from "./list-pending-calls.ts";
import { hasDecidingTag, loadForDecision } from "./load-for-decision.ts";

const doors: ReadonlySet<DecidingActor["via"]> = new Set(["session"]);

/**
 * Names a user who may decide a call too, in the place of an approver who is absent, or takes the name back. Only a user with
 * a deciding tag names one, in a signed-in browser; who may not decide the call cannot be named.
 */
export async function setDeputy(
  { store, now, freshSignIn }: ReadPendingDeps & Pick<ServiceDeps, "freshSignIn">,
  actor: DecidingActor,
  { id, ...given }: PendingCallDeputy & { id: string },
): Promise<PendingCallDetail> {
  checkPersonalDoor(actor, doors, callDoorRefusal);
  freshSignIn.check(actor, "decisions");
  const { deputy } = checkInput(pendingCallDeputySchema, given);
  const at = now();
  const stamp = stampChange(actor, at);
  const { call, user, isNamed } = await transaction(store.db, async (trx) => {
    const found = await loadForDecision(trx, actor, { id, hash: null, at });
    checkMayName(found.call, found.user);
    const named = deputy === null ? null : await loadDeputy(trx, found.call, deputy);
    const toPut = named === null ? null : { userId: named.id, namedBy: found.user.id };
    if (!(await putDeputy(trx, id, toPut, at))) {
      throw new HubError("conflict", "The call was decided meanwhile.");
    }
    await recordChange(trx, stamp, {
      action: "call.name_deputy",
      kind: "call",
      id,
      name: found.call.operationKey,
      detail: { row: found.call.rowId, deputy: named?.email ?? null },
    });
    return { ...found, call: await findPendingCall(trx, id) };
  });
  if (call === null) throw refuseUnknownCall();
  return await readPendingCall(store.db, call, {
    userId: user.id,
    isAdmin: user.role === "admin",
    isNamed,
    at,
  });
}

function checkMayName({ decider }: PendingCall, user: User): void {
  if (decider.kind === "tags" && hasDecidingTag(user, decider.tags)) return;
  throw new HubError("forbidden", "Only users with a deciding tag name a deputy.");
}

async function loadDeputy(trx: Transaction, call: PendingCall, email: string): Promise<User> {
  const user = await findUserByEmail(trx, email);
  const reject = (message: string) => toBadRequest([{ path: "deputy", message }]);
  if (user === null || !isActive(user)) throw reject("must be the e-mail of an active user.");
  if (user.kind === "service") {
    throw reject("is a service user, which decides nothing. Name a person.");
  }
  if (call.excluded.some((id) => id === user.id)) {
    throw reject("makes this call, or owns, started or edited what makes it. Name another user.");
  }
  return user;
}
