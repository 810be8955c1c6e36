import type { RowAccess } from "@hub/contract/row-access.ts";
import { findRowTag, toRowTag } from "@hub/contract/row-tag.ts";
import { z } from "zod";
import type { Actor } from "../../../changes/actor.ts";
import { type ChangeStamp, recordChange, stampChange } from "../../../changes/record-change.ts";
import { checkInput, tagsSchema } from "../../../lib/input/check-input.ts";
import { type Transaction, transaction } from "../../../store/database/database.ts";
import { setRowTags } from "../../../store/rows/rows-table.ts";
import { hasSameTags } from "../../../store/tags/tag-change.ts";
import { listTaggedUsers, removeTagFromUsers } from "../../../store/tags/tag-reach.ts";
import { toTagNames } from "../../../store/tags/tags-table.ts";
import { setUserTags, type User } from "../../../store/users/users-table.ts";
import { checkGivesRuleTags } from "../../rules/check-rule-rights.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadUser } from "../../users/load-user.ts";
import { checkNotMade } from "../checks/check-made-row.ts";
import { loadRow } from "../load-row.ts";
import { checkVersion } from "../row-change.ts";
import { readAccess } from "./show-access.ts";

/** Each of them is a change of a user, with a record of its own. */
export const peopleMax = 100;
const peopleSchema = z
  .array(z.string())
  .max(peopleMax, { error: `must have at most ${peopleMax} people.` });

const accessSchema = z.strictObject({
  /** The version that the caller read. */
  version: z.int().optional(),
  /** Replaces all tags but the row's own. */
  tags: tagsSchema.optional(),
  /** Ids of users who get the row's own tag. */
  give: peopleSchema.default([]),
  /** Ids of users who lose it. */
  take: peopleSchema.default([]),
});

export type AccessInput = z.input<typeof accessSchema>;
type AccessChange = z.output<typeof accessSchema>;

/** Changes who sees a row, in one transaction with the records of the row and of each user. */
export async function setAccess(
  { store, registry, now }: Pick<ServiceDeps, "store" | "registry" | "now">,
  actor: Actor,
  rowId: string,
  input: AccessInput,
): Promise<RowAccess> {
  const change = checkInput(accessSchema, input);
  const at = now();
  const stamps = stampAccess(actor, at, change);
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    checkNotMade(registry, row.connectorKey);
    checkVersion(row, change.version);
    await writeAccess(trx, row.id, change, stamps);
    return await readAccess(trx, await loadRow(trx, row.id));
  });
}

/** One for the row, and one for each user. */
export function stampAccess(
  actor: Actor,
  at: number,
  { give = [], take = [] }: Pick<AccessInput, "give" | "take">,
): ChangeStamp[] {
  return Array.from({ length: give.length + take.length + 1 }, () => stampChange(actor, at));
}

/** The same in a transaction that makes the row, too. */
export async function writeAccess(
  trx: Transaction,
  rowId: string,
  { tags, give, take }: AccessChange,
  stamps: readonly ChangeStamp[],
): Promise<void> {
  const row = await loadRow(trx, rowId);
  const ownTag = findRowTag(row) ?? toRowTag(row);
  // Users who have it from before the row lost it would get the row back with the next person.
  const left =
    findRowTag(row) === null && give.length > 0 ? await removeTagFromUsers(trx, ownTag) : 0;
  const [stamp, ...userStamps] = stamps;
  if (stamp === undefined) throw new Error("A change of access needs a stamp");
  const at = stamp.changedAt;
  const stampsLeft = [...userStamps];
  const given: string[] = [];
  const taken: string[] = [];
  if (give.length > 0) await checkGivesRuleTags(trx, stamp.actor, [ownTag]);
  for (const id of new Set(give)) {
    const user = await loadUser(trx, id);
    if (user.tags.some((tag) => tag === ownTag)) continue;
    await changeTags(trx, user, [...user.tags, ownTag].sort(), stampsLeft.pop());
    given.push(user.email);
  }
  for (const id of new Set(take)) {
    const user = await loadUser(trx, id);
    if (user.tags.every((tag) => tag !== ownTag)) continue;
    const rest = user.tags.filter((tag) => tag !== ownTag);
    await changeTags(trx, user, rest, stampsLeft.pop());
    taken.push(user.email);
  }
  const { total } = await listTaggedUsers(trx, ownTag, 1);
  const others = toTagNames(tags ?? row.tags).filter((tag) => tag !== ownTag);
  const next = total > 0 ? [...others, ownTag] : others;
  const isSame = hasSameTags(next, row.tags);
  if (!isSame) await setRowTags(trx, row.id, next, at);
  if (isSame && given.length + taken.length === 0) return;
  await recordChange(trx, stamp, {
    action: "row.update",
    kind: "row",
    id: row.id,
    name: row.label,
    detail: {
      ...(!isSame && { tags: { from: row.tags, to: next.sort() } }),
      ...(given.length > 0 && { people_added: given }),
      ...(taken.length > 0 && { people_removed: taken }),
      ...(left > 0 && { former_people_removed: left }),
    },
  });
}

async function changeTags(
  trx: Transaction,
  { id, email, tags: from }: User,
  to: string[],
  stamp: ChangeStamp | undefined,
): Promise<void> {
  if (stamp === undefined) throw new Error("Each user needs a stamp");
  await setUserTags(trx, id, to, stamp.changedAt);
  const detail = { tags: { from, to } };
  await recordChange(trx, stamp, { action: "user.update", kind: "user", id, name: email, detail });
}
