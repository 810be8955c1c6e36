import {
  findScimGroups,
  type ScimGroupCondition,
  type ScimGroupRecord,
} from "../../../store/scim/scim-groups-table.ts";
import { countMembers, listMemberIds } from "../../../store/scim/scim-members-table.ts";
import type { ScimDeps, ScimRequester } from "../scim-deps.ts";
import type { PageQuery } from "../syntax/read-query.ts";
import { type FilterTerm, parseFilter } from "../syntax/read-terms.ts";
import { quote, toScimError } from "../syntax/scim-fault.ts";
import { toText } from "../users/find-users.ts";

export type ShownGroup = ScimGroupRecord & {
  /** Ids of users; null if they are not asked for. */
  memberIds: string[] | null;
};

/** Members of one page. A page with more has fewer groups; the first one is always whole. */
const membersMax = 20_000;

/** One page of the client's groups that match. */
export async function findGroups(
  { store }: Pick<ScimDeps, "store">,
  { client }: Pick<ScimRequester, "client">,
  { filter, offset, limit }: PageQuery,
  { withMembers }: { withMembers: boolean },
): Promise<{ items: ShownGroup[]; total: number }> {
  const { db } = store;
  const conditions = filter === null ? [] : parseFilter(filter).map(toCondition);
  const search = { clientId: client.id, conditions, offset, limit };
  const { groups, total } = await findScimGroups(db, search);
  if (!withMembers) return { items: groups.map((group) => ({ ...group, memberIds: null })), total };
  const counts = await countMembers(
    db,
    groups.map(({ id }) => id),
  );
  const items: ShownGroup[] = [];
  let members = 0;
  for (const group of groups) {
    members += counts.get(group.id) ?? 0;
    if (items.length > 0 && members > membersMax) break;
    items.push(await withMemberIds(db, group));
  }
  return { items, total };
}

export async function withMemberIds(
  db: ScimDeps["store"]["db"],
  group: ScimGroupRecord,
): Promise<ShownGroup> {
  return { ...group, memberIds: await listMemberIds(db, group.id) };
}

function toCondition({ attribute, elements, value }: FilterTerm): ScimGroupCondition {
  switch (attribute) {
    case "id":
      return { by: "id", value: toText(value).toLowerCase() };
    case "displayname":
      return { by: "displayName", value: toText(value).toLowerCase() };
    case "externalid":
      return { by: "externalId", value: toText(value) };
    case "members":
    case "members.value": {
      const named = value ?? elements.find((one) => one.attribute === "value")?.value;
      return { by: "member", value: toText(named).toLowerCase() };
    }
    default:
      throw toScimError(
        "invalidFilter",
        `Groups are found by id, displayName, externalId and members, not by ${quote(attribute)}.`,
      );
  }
}
