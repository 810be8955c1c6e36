import type { Transaction } from "../../../store/database/database.ts";
import {
  addMembers,
  findMembers,
  listMemberIds,
  removeMembers,
} from "../../../store/scim/scim-members-table.ts";
import {
  findLinkedUsers,
  insertKeptUsers,
  loadScimUsers,
} from "../../../store/scim/scim-users-table.ts";
import type { ScimRequester } from "../scim-deps.ts";
import { quote, toScimError } from "../syntax/scim-fault.ts";
import { toAttributes, toScimUser } from "../users/kept-attributes.ts";
import type { MemberChange } from "./read-group.ts";

type Members = {
  client: ScimRequester["client"];
  groupId: string;
  changes: readonly MemberChange[];
  at: number;
};

export type ChangedMembers = {
  added: number;
  removed: number;
  /** Users whose groups are due. */
  touched: string[];
};

/**
 * Changes the members of a group in the order of the request. An added member that the client may not see is an error with the
 * whole request, which the provider sends again; one that is removed is gone already.
 */
export async function changeMembers(
  trx: Transaction,
  { client, groupId, changes, at }: Members,
): Promise<ChangedMembers> {
  const touched = new Set<string>();
  let added = 0;
  let removed = 0;
  for (const { kind, ids } of changes) {
    const plan = await planChange(trx, { client, groupId, kind, ids, at });
    await removeMembers(trx, groupId, plan.gone);
    await addMembers(trx, groupId, plan.come);
    for (const id of [...plan.gone, ...plan.come]) touched.add(id);
    added += plan.come.length;
    removed += plan.gone.length;
  }
  return { added, removed, touched: [...touched] };
}

type Plan = { come: readonly string[]; gone: readonly string[] };

async function planChange(
  trx: Transaction,
  {
    client,
    groupId,
    kind,
    ids,
    at,
  }: Omit<Members, "changes"> & {
    kind: MemberChange["kind"];
    ids: readonly string[] | null;
  },
): Promise<Plan> {
  if (ids === null) return { come: [], gone: await listMemberIds(trx, groupId) };
  const userIds = [...new Set(ids)];
  const { kept, members } = await findMembers(trx, { clientId: client.id, groupId, userIds });
  if (kind === "remove") return { come: [], gone: [...members] };
  await takeOver(
    trx,
    client,
    userIds.filter((id) => !kept.has(id)),
    at,
  );
  const come = userIds.filter((id) => !members.has(id));
  if (kind === "add") return { come, gone: [] };
  const stay = new Set(userIds);
  const gone = (await listMemberIds(trx, groupId)).filter((id) => !stay.has(id));
  return { come, gone };
}

/**
 * Users of the client's issuer that no client keeps yet, in few statements: a group can be the whole company. Throws for every other id.
 */
async function takeOver(
  trx: Transaction,
  client: ScimRequester["client"],
  ids: readonly string[],
  at: number,
): Promise<void> {
  for (let from = 0; from < ids.length; from += takenOverAtOnce) {
    await takeOverSome(trx, client, ids.slice(from, from + takenOverAtOnce), at);
  }
}

/** Of one statement: each database limits the parameters. */
const takenOverAtOnce = 500;

async function takeOverSome(
  trx: Transaction,
  { id: clientId, issuer }: ScimRequester["client"],
  ids: readonly string[],
  at: number,
): Promise<void> {
  const users = new Map((await loadScimUsers(trx, ids)).map((user) => [user.id, user]));
  const linked = issuer === null ? null : await findLinkedUsers(trx, { userIds: ids, issuer });
  const taken = ids.map((id) => {
    const user = users.get(id);
    const isFree = user !== undefined && user.kept === null && user.isPerson && !user.hasPassword;
    if (!isFree || !linked?.has(id)) {
      throw toScimError("invalidValue", `There is no user with the id ${quote(id)}.`);
    }
    const sent = toScimUser(user);
    const { userName } = sent;
    const attributes = toAttributes(sent);
    return { userId: id, clientId, userName, externalId: null, attributes, at };
  });
  await insertKeptUsers(trx, taken);
}
