import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";

/** A group of a SCIM client. Times are epoch ms. */
export type ScimGroupRecord = {
  id: string;
  clientId: string;
  displayName: string;
  externalId: string | null;
  createdAt: number;
  updatedAt: number;
};

/** What groups are looked for by. Names are in lower case. */
export type ScimGroupCondition = {
  by: "id" | "displayName" | "externalId" | "member";
  value: string;
};

export async function insertScimGroup(trx: Transaction, group: ScimGroupRecord): Promise<void> {
  await toKysely(trx)
    .insertInto("scim_groups")
    .values({
      id: group.id,
      client_id: group.clientId,
      display_name: group.displayName,
      name_key: group.displayName.toLowerCase(),
      external_id: group.externalId,
      created_at: group.createdAt,
      updated_at: group.updatedAt,
    })
    .execute();
}

export async function updateScimGroup(
  trx: Transaction,
  { id, displayName, externalId, updatedAt }: Omit<ScimGroupRecord, "clientId" | "createdAt">,
): Promise<void> {
  await toKysely(trx)
    .updateTable("scim_groups")
    .set({
      display_name: displayName,
      name_key: displayName.toLowerCase(),
      external_id: externalId,
      updated_at: updatedAt,
    })
    .where("id", "=", id)
    .execute();
}

/** With its members. */
export async function deleteScimGroup(trx: Transaction, id: string): Promise<void> {
  await toKysely(trx).deleteFrom("scim_groups").where("id", "=", id).execute();
}

/** Deletes all groups of a client. What they gave their members is due to end. */
export async function deleteGroupsOf(trx: Transaction, clientId: string): Promise<void> {
  await toKysely(trx)
    .updateTable("scim_users")
    .set({ groups_due: 1 })
    .where("client_id", "=", clientId)
    .execute();
  await toKysely(trx).deleteFrom("scim_groups").where("client_id", "=", clientId).execute();
}

type Search = {
  clientId: string;
  conditions: readonly ScimGroupCondition[];
  offset: number;
  limit: number;
};

/** The groups of a client that match, in their order. `total` is of all pages. */
export async function findScimGroups(
  db: Db,
  search: Search,
): Promise<{ groups: ScimGroupRecord[]; total: number }> {
  const { offset, limit } = search;
  const found = await selectMatching(db, search)
    .select(tableColumns.scim_groups)
    .orderBy("id")
    .limit(limit)
    .offset(offset)
    .execute();
  const groups = found.map(toGroup);
  if (offset === 0 && groups.length < limit) return { groups, total: groups.length };
  const { total } = await selectMatching(db, search)
    .select((one) => one.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { groups, total: Number(total) };
}

export async function countScimGroups(db: Db, clientId: string): Promise<number> {
  const { total } = await selectMatching(db, { clientId, conditions: [] })
    .select((one) => one.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

function selectMatching(db: Db, { clientId, conditions }: Pick<Search, "clientId" | "conditions">) {
  const query = toKysely(db).selectFrom("scim_groups").where("client_id", "=", clientId);
  return conditions.reduce(
    (narrowed, { by, value }) =>
      by === "member"
        ? narrowed.where("id", "in", (one) =>
            one.selectFrom("scim_members").select("group_id").where("user_id", "=", value),
          )
        : narrowed.where(columns[by], "=", value),
    query,
  );
}

const columns = { id: "id", displayName: "name_key", externalId: "external_id" } as const;

function toGroup(group: Tables["scim_groups"]): ScimGroupRecord {
  return {
    id: group.id,
    clientId: group.client_id,
    displayName: group.display_name,
    externalId: group.external_id,
    createdAt: group.created_at,
    updatedAt: group.updated_at,
  };
}
