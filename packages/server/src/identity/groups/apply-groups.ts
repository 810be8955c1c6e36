import { type ChangeStamp, recordChange, stampFollowing } from "../../changes/record-change.ts";
import type { Transaction } from "../../store/database/database.ts";
import { hasOtherActiveAdmin } from "../../store/users/active-users.ts";
import {
  type GroupLine,
  listGroupLines,
  readGroupLinesRevision,
} from "../../store/users/group-lines-table.ts";
import { deleteSessionsOf } from "../../store/users/sessions-table.ts";
import {
  type GroupRead,
  type GroupSource,
  listGroupReads,
  markApplied,
  putGroupRead,
} from "../../store/users/user-groups-table.ts";
import {
  findUserOrigins,
  listAdminsByGroups,
  setGroupTags,
  setHandRole,
  type UserOrigins,
} from "../../store/users/user-origins.ts";
import { findUserById, type User, updateUser } from "../../store/users/users-table.ts";
import { hubActor } from "../local-admin.ts";
import { decideAccess } from "./decide-access.ts";
import type { GroupsProblem } from "./read-group-claim.ts";
import { type GroupGrant, resolveGroups } from "./resolve-groups.ts";

/** The groups of a user as one source names them now. */
export type GivenGroups = {
  userId: string;
  source: GroupSource;
  names: readonly string[];
  /** How many names were not read. */
  leftOut?: number;
  /** Whether the user lacks the group that the hub requires. */
  isRefused?: boolean;
};

/**
 * Stores the groups of a user and gives what the lines say for the groups of all sources together: tags, the role, and
 * whether the user may use the hub. What was given by hand stays, and so does the last active admin. The only function that
 * does so, for sign-ins, refreshes and SCIM. Returns the user as stored then; null if the user does not exist.
 */
export async function applyGroups(
  trx: Transaction,
  { userId, source, names, leftOut = 0, isRefused = false }: GivenGroups,
  stamp: ChangeStamp,
): Promise<User | null> {
  const reads = await listGroupReads(trx, userId);
  const before = reads.find((read) => read.source === source);
  const { lines, revision } = await listGroupLines(trx);
  const at = stamp.changedAt;
  const read: GroupRead = {
    source,
    names: [...new Set(names)].sort(),
    readAt: at,
    problem: null,
    problemAt: null,
    leftOut,
    isRefused,
    applied: revision,
  };
  const isSame = before !== undefined && hasSameNames(before.names, read.names);
  if (isSame && isUnchanged(before, read)) return await findUserById(trx, userId);
  if ((await findUserById(trx, userId)) === null) return null;
  await putGroupRead(trx, userId, read, isSame);
  const others = reads.filter((other) => other.source !== source);
  return await grant(trx, userId, { reads: [...others, read], lines, revision }, stamp);
}

/**
 * The same for a user whose groups are known, after the lines or the sources were changed. Lines that its caller has read for many users
 * are used while they are the present ones.
 */
export async function reapplyGroups(
  trx: Transaction,
  userId: string,
  stamp: ChangeStamp,
  known: Pick<Known, "lines" | "revision"> | null = null,
): Promise<User | null> {
  const reads = await listGroupReads(trx, userId);
  const isPresent = known !== null && (await readGroupLinesRevision(trx)) === known.revision;
  const { lines, revision } = isPresent ? known : await listGroupLines(trx);
  return await grant(trx, userId, { reads, lines, revision }, stamp);
}

/**
 * Call it in the transaction in which a user may have become an active admin. Groups take the role then from the admin who was
 * kept for being the last. Few are looked at: with two active admins, none is kept.
 */
export async function releaseKeptAdmins(
  trx: Transaction,
  newAdminId: string,
  stamp: Pick<ChangeStamp, "id" | "changedAt">,
): Promise<void> {
  if (!isActiveAdmin(await findUserById(trx, newAdminId))) return;
  const others = await listAdminsByGroups(trx, { exceptId: newAdminId, limit: keptAdminsMax });
  for (const id of others) await reapplyGroups(trx, id, stampFollowing(stamp, hubActor, id));
}

const keptAdminsMax = 10;

function isActiveAdmin(user: Pick<User, "role" | "status"> | null): boolean {
  return user?.role === "admin" && user.status === "active";
}

/** Records why the groups of a user are not known at present. Nothing else changes: no answer is not "no groups". */
export async function recordGroupsProblem(
  trx: Transaction,
  { userId, source, problem }: { userId: string; source: GroupSource; problem: GroupsProblem },
  at: number,
): Promise<void> {
  const before = (await listGroupReads(trx, userId)).find((read) => read.source === source);
  if (before?.problem === problem) return;
  const { revision } = await listGroupLines(trx);
  const read = before ?? {
    source,
    names: [],
    readAt: null,
    leftOut: 0,
    isRefused: false,
    applied: revision,
  };
  await putGroupRead(trx, userId, { ...read, problem, problemAt: at }, true);
}

/** What the groups of a user give by these lines. */
export function toGrant(lines: readonly GroupLine[], reads: readonly GroupRead[]): GroupGrant {
  const given = resolveGroups(
    lines,
    reads.map(({ source, names }) => ({ kind: source === "sso" ? "sso" : "scim", names })),
  );
  return reads.some(({ isRefused }) => isRefused) ? { ...given, role: "none" } : given;
}

type Known = { reads: readonly GroupRead[]; lines: readonly GroupLine[]; revision: number };

async function grant(
  trx: Transaction,
  userId: string,
  { reads, lines, revision }: Known,
  stamp: ChangeStamp,
): Promise<User | null> {
  const user = await findUserById(trx, userId);
  const origins = await findUserOrigins(trx, userId);
  if (user === null || origins === null) return null;
  if (reads.some(({ applied }) => applied !== revision)) await markApplied(trx, userId, revision);
  // A service user has what its owner has.
  if (origins.kind === "service") return user;
  const { tags, role } = toGrant(lines, reads);
  await storeAccess(trx, user, origins, { tags, role }, stamp.changedAt);
  const after = await findUserById(trx, userId);
  if (after === null) return null;
  const detail = toChangeDetail(user, after);
  if (Object.keys(detail).length > 0) {
    const { id, email: name } = user;
    await recordChange(trx, stamp, { action: "user.groups", kind: "user", id, name, detail });
  }
  if (!isActiveAdmin(user)) await releaseKeptAdmins(trx, userId, stamp);
  return after;
}

async function storeAccess(
  trx: Transaction,
  user: User,
  origins: UserOrigins,
  { tags, role }: Pick<GroupGrant, "tags" | "role">,
  at: number,
): Promise<void> {
  const { id } = user;
  const isLastAdmin = isActiveAdmin(user) && !(await hasOtherActiveAdmin(trx, id));
  const next = decideAccess({ ...user, ...origins }, role, isLastAdmin);
  if (!hasSameNames(origins.groupTags, tags)) {
    await setGroupTags(trx, id, tags, at);
    // Bumps the revision, as every change of access.
    await updateUser(trx, id, {}, at);
  }
  if (next.handRole !== origins.handRole) await setHandRole(trx, id, next.handRole);
  if (next.role !== user.role) await updateUser(trx, id, { role: next.role }, at);
  if (next.status === user.status) return;
  await updateUser(trx, id, { status: next.status, disabledBy: next.disabledBy }, at);
  if (next.status === "disabled") await deleteSessionsOf(trx, id);
}

function toChangeDetail(before: User, after: User): Record<string, unknown> {
  return {
    ...(!hasSameNames(before.tags, after.tags) && { tags: { from: before.tags, to: after.tags } }),
    ...(before.role !== after.role && { role: { from: before.role, to: after.role } }),
    ...(before.status !== after.status && { status: { from: before.status, to: after.status } }),
  };
}

/** A read that confirms what is known is stored every ten minutes, so that a refresh each minute costs no write. */
function isUnchanged(before: GroupRead, read: GroupRead): boolean {
  return (
    before.problem === null &&
    before.leftOut === read.leftOut &&
    before.isRefused === read.isRefused &&
    before.applied === read.applied &&
    (before.readAt ?? 0) + storedEveryMs > (read.readAt ?? 0)
  );
}

const storedEveryMs = 600_000;

/** Both are sorted. */
function hasSameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}
