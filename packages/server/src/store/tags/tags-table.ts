import { HubError } from "../../errors.ts";
import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "../settings/revision.ts";

/** The reserved tag that every user has. */
export const EVERYONE_TAG = "everyone";

export type Tag = { id: string; name: string };

/** Lower-cases and checks tag names, and removes duplicates. */
export function toTagNames(names: readonly string[]): string[] {
  const checked = names.map((name) => {
    const tag = name.trim().toLowerCase();
    if (/^[a-z0-9][a-z0-9_.:-]{0,63}$/.test(tag)) return tag;
    throw new HubError(
      "bad_request",
      `"${name}" is not a tag name. Use up to 64 letters, digits and the characters _ . : - and begin with a letter or digit.`,
    );
  });
  return [...new Set(checked)];
}

/** Creates the missing tags, as of `at`; returns all given ones in alphabetical order. */
export function ensureTags(db: Db, names: readonly string[], at: number): Promise<Tag[]> {
  return transaction(db, async (trx) => {
    const wanted = toTagNames(names);
    if (wanted.length === 0) return [];
    const made = await toKysely(trx)
      .insertInto("tags")
      .values(wanted.map((name) => ({ id: toTagId(name), name, created_at: at })))
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .execute();
    if (made.length > 0) await bumpRevision(trx);
    return toKysely(trx)
      .selectFrom("tags")
      .select(["id", "name"])
      .where("name", "in", wanted)
      .orderBy("name")
      .execute();
  });
}

/**
 * The id of a new tag: a hash of its name. A transaction decides which tags are missing, so their ids
 * cannot be drawn before it, and it must give the same result when it runs again.
 */
function toTagId(name: string): string {
  // Not random in spite of its name: version 5 of UUIDs is a hash.
  return Bun.randomUUIDv5(name, tagIds);
}

const tagIds = "1f0d5d1c-6d0e-4b0f-9a4e-3c1b0a6f7e52";

/** All tags with the number of users and rows of each, in alphabetical order. */
export async function countTags(db: Db): Promise<{ name: string; users: number; rows: number }[]> {
  const tags = await toKysely(db)
    .selectFrom("tags")
    .select((tag) => [
      "name",
      tag
        .selectFrom("user_tags")
        .select((users) => users.fn.countAll<number>().as("users"))
        .whereRef("user_tags.tag_id", "=", "tags.id")
        .as("users"),
      tag
        .selectFrom("row_tags")
        .select((rows) => rows.fn.countAll<number>().as("rows"))
        .whereRef("row_tags.tag_id", "=", "tags.id")
        .as("rows"),
    ])
    .orderBy("name")
    .execute();
  return tags.map(({ name, users, rows }) => ({
    name,
    users: Number(users ?? 0),
    rows: Number(rows ?? 0),
  }));
}

/** All tag names, in alphabetical order. */
export async function listTags(db: Db): Promise<string[]> {
  const tags = await toKysely(db).selectFrom("tags").select("name").orderBy("name").execute();
  return tags.map((tag) => tag.name);
}
