import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { type Transaction, transaction } from "../../../store/database/database.ts";
import {
  countScimGroups,
  deleteScimGroup,
  findScimGroups,
  insertScimGroup,
  type ScimGroupCondition,
  type ScimGroupRecord,
  updateScimGroup,
} from "../../../store/scim/scim-groups-table.ts";
import { listMemberIds, markGroupsDue } from "../../../store/scim/scim-members-table.ts";
import type { ScimDeps, ScimRequester } from "../scim-deps.ts";
import { toScimError } from "../syntax/scim-fault.ts";
import { applyChangedGroups } from "./apply-groups.ts";
import { changeMembers } from "./change-members.ts";
import { type GroupChange, readGroupBody, readGroupPatch } from "./read-group.ts";

/** Of one client. */
const groupsMax = 20_000;

type Changed = { group: ScimGroupRecord; ignored: string[] };

/** Makes a group with its members. Throws `conflict` if the client has one of this name, compared without case. */
export async function createGroup(
  deps: ScimDeps,
  requester: ScimRequester,
  body: unknown,
): Promise<Changed> {
  const change = readGroupBody(body);
  const { displayName } = change;
  if (displayName === undefined) throw toScimError("invalidValue", "A group needs a displayName.");
  const { client, actor } = requester;
  const at = deps.now();
  const stamp = stampChange(actor, at);
  const id = crypto.randomUUID();
  const externalId = change.externalId ?? null;
  const group = { id, clientId: client.id, displayName, externalId, createdAt: at, updatedAt: at };
  // Before the transaction: one that reads all groups of the client conflicts with every other one. Requests at once may exceed it by some.
  const isFull = (await countScimGroups(deps.store.db, client.id)) >= groupsMax;
  const touched = await transaction(deps.store.db, async (trx) => {
    await checkFree(trx, group);
    if (isFull) throw toScimError("tooMany", `A SCIM client keeps at most ${groupsMax} groups.`);
    await insertScimGroup(trx, group);
    const changed = await changeMembers(trx, { client, groupId: id, changes: change.members, at });
    await recordChange(trx, stamp, toGroupChange("scim_group.create", group, changed));
    return changed.touched;
  });
  await applyChangedGroups(deps, touched);
  return { group, ignored: change.ignored };
}

export function replaceGroup(
  deps: ScimDeps,
  requester: ScimRequester,
  id: string,
  body: unknown,
): Promise<Changed> {
  return changeGroup(deps, requester, id, readGroupBody(body));
}

/** Applies the operations of a PATCH, all or none. The members' tags and roles follow before it returns. */
export function modifyGroup(
  deps: ScimDeps,
  requester: ScimRequester,
  id: string,
  body: unknown,
): Promise<Changed> {
  return changeGroup(deps, requester, id, readGroupPatch(body));
}

async function changeGroup(
  deps: ScimDeps,
  { client, actor }: ScimRequester,
  id: string,
  change: GroupChange,
): Promise<Changed> {
  const at = deps.now();
  const stamp = stampChange(actor, at);
  const { group, touched } = await transaction(deps.store.db, async (trx) => {
    const before = await loadGroup(trx, client.id, id);
    const { displayName = before.displayName, externalId = before.externalId } = change;
    const group = { ...before, displayName, externalId, updatedAt: at };
    const isSame = displayName === before.displayName && externalId === before.externalId;
    if (!isSame) await checkFree(trx, group);
    const changed = await changeMembers(trx, {
      client,
      groupId: before.id,
      changes: change.members,
      at,
    });
    if (isSame && changed.touched.length === 0) return { group: before, touched: [] };
    await updateScimGroup(trx, group);
    const renamed = displayName === before.displayName ? [] : await listMemberIds(trx, before.id);
    await markGroupsDue(trx, renamed);
    const from =
      renamed.length > 0 || displayName !== before.displayName ? before.displayName : null;
    await recordChange(trx, stamp, toGroupChange("scim_group.update", group, { ...changed, from }));
    return { group, touched: [...new Set([...changed.touched, ...renamed])] };
  });
  await applyChangedGroups(deps, touched);
  return { group, ignored: change.ignored };
}

/** Its members lose what it gave them before this returns. */
export async function deleteGroup(
  deps: ScimDeps,
  { client, actor }: ScimRequester,
  id: string,
): Promise<void> {
  const stamp = stampChange(actor, deps.now());
  const touched = await transaction(deps.store.db, async (trx) => {
    const group = await loadGroup(trx, client.id, id);
    const members = await listMemberIds(trx, group.id);
    await markGroupsDue(trx, members);
    await deleteScimGroup(trx, group.id);
    const changed = { added: 0, removed: members.length };
    await recordChange(trx, stamp, toGroupChange("scim_group.delete", group, changed));
    return members;
  });
  await applyChangedGroups(deps, touched);
}

/** The group of a client. Throws `not_found`, also for groups of others. */
export async function loadGroup(
  db: ScimDeps["store"]["db"],
  clientId: string,
  id: string,
): Promise<ScimGroupRecord> {
  const found = await findBy(db, clientId, { by: "id", value: id.toLowerCase() });
  if (found === null) throw new HubError("not_found", "There is no such group.");
  return found;
}

async function findBy(
  db: ScimDeps["store"]["db"],
  clientId: string,
  condition: ScimGroupCondition,
): Promise<ScimGroupRecord | null> {
  const search = { clientId, conditions: [condition], offset: 0, limit: 2 };
  return (await findScimGroups(db, search)).groups[0] ?? null;
}

async function checkFree(
  trx: Transaction,
  { id, clientId, displayName, externalId }: ScimGroupRecord,
): Promise<void> {
  const value = displayName.toLowerCase();
  const named = await findBy(trx, clientId, { by: "displayName", value });
  if (named !== null && named.id !== id) {
    throw toScimError("uniqueness", "There is a group with this displayName.");
  }
  if (externalId === null) return;
  const known = await findBy(trx, clientId, { by: "externalId", value: externalId });
  if (known !== null && known.id !== id) {
    throw toScimError("uniqueness", "There is a group with this externalId.");
  }
}

/** The record has numbers: the members of a group can be thousands. */
function toGroupChange(
  action: `scim_group.${"create" | "update" | "delete"}`,
  { id, displayName }: ScimGroupRecord,
  { added, removed, from = null }: { added: number; removed: number; from?: string | null },
) {
  return {
    action,
    kind: "scim_group" as const,
    id,
    name: displayName,
    detail: {
      ...(from !== null && { name: { from, to: displayName } }),
      members_added: added,
      members_removed: removed,
    },
  };
}
