import type { AccessPreview, RowAccess } from "@hub/contract/row-access.ts";
import { findRowTag, toRowTag } from "@hub/contract/row-tag.ts";
import { checkInput, tagsSchema } from "../../../lib/input/check-input.ts";
import type { Db } from "../../../store/database/database.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import {
  countActiveUsers,
  listTaggedApprovals,
  listTaggedRows,
  listTaggedUsers,
  listTaggedWorkflows,
} from "../../../store/tags/tag-reach.ts";
import { EVERYONE_TAG, toTagNames } from "../../../store/tags/tags-table.ts";
import { countUsersByStatus } from "../../../store/users/users-table.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";

type AccessDeps = Pick<ServiceDeps, "store">;

const shownPeopleMax = 200;
const namedMax = 20;

/** The tags of a row, and the people who have its own tag. */
export async function showAccess({ store }: AccessDeps, rowId: string): Promise<RowAccess> {
  return await readAccess(store.db, await loadRow(store.db, rowId));
}

export async function readAccess(db: Db, row: RowRecord): Promise<RowAccess> {
  const ownTag = findRowTag(row);
  const people =
    ownTag === null ? { first: [], total: 0 } : await listTaggedUsers(db, ownTag, shownPeopleMax);
  return {
    row_id: row.id,
    version: row.version,
    own_tag: ownTag,
    tags: row.tags.filter((tag) => tag !== ownTag),
    people: people.first,
    people_total: people.total,
  };
}

/** What the row's own tag opens beside the row, and how many users have each of the given tags. */
export async function previewAccess(
  { store: { db } }: AccessDeps,
  rowId: string,
  { tags }: { tags: readonly string[] },
): Promise<AccessPreview> {
  const row = await loadRow(db, rowId);
  const ownTag = findRowTag(row) ?? toRowTag(row);
  const names = toTagNames(checkInput(tagsSchema, [...tags]));
  const counts = await countActiveUsers(db, names);
  const all = (await countUsersByStatus(db, {})).get("active") ?? 0;
  return {
    own_tag: ownTag,
    rows: await listTaggedRows(db, ownTag, { except: row.id, limit: namedMax }),
    workflows: await listTaggedWorkflows(db, ownTag, namedMax),
    approvals: await listTaggedApprovals(db, ownTag, namedMax),
    tags: names.map((name) => ({
      name,
      users: name === EVERYONE_TAG ? all : (counts.get(name) ?? 0),
    })),
  };
}
