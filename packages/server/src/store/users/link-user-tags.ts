import type { Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import { EVERYONE_TAG, ensureTags } from "../tags/tags-table.ts";

/** Gives a user these tags by hand, beside those it has. Returns the stored names. */
export async function linkUserTags(
  trx: Transaction,
  userId: string,
  names: readonly string[],
  at: number,
): Promise<string[]> {
  const tags = (await ensureTags(trx, names, at)).filter((tag) => tag.name !== EVERYONE_TAG);
  if (tags.length > 0) {
    const links = tags.map((tag) => ({ user_id: userId, tag_id: tag.id }));
    await toKysely(trx)
      .insertInto("user_tags")
      .values(links)
      .onConflict((both) =>
        both.columns(["user_id", "tag_id"]).doUpdateSet({ by_hand: toFlag(true) }),
      )
      .execute();
  }
  return tags.map((tag) => tag.name);
}
