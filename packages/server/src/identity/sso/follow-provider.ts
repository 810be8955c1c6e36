import { type ChangeStamp, recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { openAtRest, sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toProviderLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import {
  claimRefresh,
  type ProviderSession,
  updateProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { deleteProviderSessions } from "../../store/users/sessions-table.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { isUnproven, takeReadGroups } from "../groups/take-read-groups.ts";
import { hubActor } from "../local-admin.ts";
import { refreshEveryMs } from "./follow-sign-in.ts";
import type { ProviderClient, Refreshed } from "./provider-client.ts";

export type FollowProviderDeps = {
  db: Db;
  now: () => number;
  ring: Pick<RingHolder, "current">;
  client: Pick<ProviderClient, "refresh">;
  requiredGroup: string | null;
  /** What ends when the provider no longer confirms a user. */
  ended: "all" | "sessions";
  log: Pick<Log, "warn">;
};

/**
 * Asks the provider about a user, if it is due and no other server does so. Stores the next refresh token before anything
 * else, since the one before may be spent. What it brings is dropped if the user signs in again meanwhile.
 */
export async function refreshUser(
  deps: FollowProviderDeps,
  session: ProviderSession,
): Promise<void> {
  const { db, now } = deps;
  const { userId, tokensId } = session;
  if (session.sealed === null) return;
  const at = now();
  const isMine = await claimRefresh(db, { userId, tokensId, now: at, nextAt: at + refreshEveryMs });
  if (!isMine) return;
  const refreshed = await refresh(deps, session, session.sealed);
  if (refreshed.kind === "confirmed") await storeConfirmed(deps, session, refreshed, at);
  else if (refreshed.kind === "ended") await storeEnd(deps, session, refreshed.reason);
  else await storeFailure(deps, session, refreshed.reason, at);
}

async function refresh(
  { ring, client }: FollowProviderDeps,
  session: ProviderSession,
  sealed: Uint8Array,
): Promise<Refreshed> {
  try {
    const token = openAtRest(ring.current(), toProviderLocation(session), sealed);
    return await client.refresh(session.subject, token);
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    return { kind: "failed", reason: "The key of the stored refresh token is missing" };
  }
}

async function storeConfirmed(
  deps: FollowProviderDeps,
  session: ProviderSession,
  confirmed: Extract<Refreshed, { kind: "confirmed" }>,
  at: number,
): Promise<void> {
  const { db, ring, requiredGroup } = deps;
  const { userId } = session;
  let { tokensId } = session;
  if (confirmed.readRefreshToken !== null) {
    const next = crypto.randomUUID();
    const text = confirmed.readRefreshToken();
    const sealed = sealAtRest(ring.current(), toProviderLocation(session), text);
    const isStored = await updateProviderSession(db, session, { sealed, tokensId: next });
    if (!isStored) return;
    tokensId = next;
  }
  const groups = await confirmed.readGroups();
  const stamp = stampChange(hubActor, at);
  const endStamp = stampChange(hubActor, at);
  await transaction(db, async (trx) => {
    const isStored = await updateProviderSession(trx, { userId, tokensId }, { readAt: at });
    if (!isStored || groups === null) return;
    const isEnd = await isUnproven(trx, { userId, groups, requiredGroup });
    await takeReadGroups(trx, { userId, groups, requiredGroup }, stamp);
    if (!isEnd) return;
    // The user is not disabled: the next sign-in that names the group mends it.
    const reason = "The provider does not name the group that the hub requires";
    await endThere(trx, { userId, tokensId, reason, ended: "all" }, endStamp);
  });
}

/** Ends what began at the provider. Local sessions of the user stay. */
async function storeEnd(
  deps: FollowProviderDeps,
  session: ProviderSession,
  reason: string,
): Promise<void> {
  const { db, now, ended } = deps;
  const { userId, tokensId } = session;
  const stamp = stampChange(hubActor, now());
  await transaction(db, (trx) => endThere(trx, { userId, tokensId, reason, ended }, stamp));
}

type End = Pick<ProviderSession, "userId" | "tokensId"> & {
  reason: string;
  ended: FollowProviderDeps["ended"];
};

async function endThere(
  trx: Transaction,
  { userId, tokensId, reason, ended }: End,
  stamp: ChangeStamp,
): Promise<void> {
  const { changedAt: endedAt } = stamp;
  const change = { endedAt, failure: reason, refusesTokens: ended === "all" };
  if (!(await updateProviderSession(trx, { userId, tokensId }, change))) return;
  await deleteProviderSessions(trx, { userId, sid: null });
  const user = await findUserById(trx, userId);
  if (user === null) return;
  await recordChange(trx, stamp, {
    action: "user.provider_ended",
    kind: "user",
    id: userId,
    name: user.email,
    detail: { reason, ended },
  });
}

async function storeFailure(
  { db, log }: FollowProviderDeps,
  session: ProviderSession,
  reason: string,
  at: number,
): Promise<void> {
  log.warn({ failure: reason }, "the OpenID provider did not confirm a user");
  await updateProviderSession(db, session, { failure: reason, at });
}
