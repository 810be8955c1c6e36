import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";

/** Where groups come from: tokens of the single sign-on provider, or a SCIM client. */
export type GroupSourceKind = "sso" | "scim";

/** One line of the table: which groups, from where, and what their members get. */
export type GroupLine = {
  id: string;
  source: "any" | GroupSourceKind;
  /** The name of a group, or a pattern in which `*` stands for any characters. */
  pattern: string;
  isPattern: boolean;
  tags: readonly string[];
  /** What a tag begins with that is made of what the `*` stands for. */
  tagStart: string | null;
  /** `none` refuses members, `user` only gives the tags. */
  role: "user" | "admin" | "none";
  /** Whether groups that come by SCIM may give the role admin. */
  adminByScim: boolean;
};

/** All lines in the order of the page, with the revision of the table. */
export async function listGroupLines(db: Db): Promise<{ lines: GroupLine[]; revision: number }> {
  const revision = await readGroupLinesRevision(db);
  const stored = await toKysely(db)
    .selectFrom("group_lines")
    .select(tableColumns.group_lines)
    .orderBy("position")
    .execute();
  const lines = stored.map((line) => ({
    id: line.id,
    source: line.source,
    pattern: line.pattern,
    isPattern: line.is_pattern === 1,
    tags: tagNames.parse(JSON.parse(line.tags)),
    tagStart: line.tag_start,
    role: line.role,
    adminByScim: line.admin_by_scim === 1,
  }));
  return { lines, revision };
}

/** Each change of the lines makes it larger. */
export async function readGroupLinesRevision(db: Db): Promise<number> {
  const { value } = await toKysely(db)
    .selectFrom("group_line_revision")
    .select("value")
    .executeTakeFirstOrThrow();
  return value;
}

const tagNames = z.array(z.string());

/** Replaces the table if it has this revision; returns the new one. Throws `conflict` for another. */
export async function replaceGroupLines(
  trx: Transaction,
  lines: readonly GroupLine[],
  revision: number,
): Promise<number> {
  const kysely = toKysely(trx);
  const { numUpdatedRows } = await kysely
    .updateTable("group_line_revision")
    .set({ value: revision + 1 })
    .where("value", "=", revision)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new HubError("conflict", "The groups were changed in the meantime. Load them again.");
  }
  await kysely.deleteFrom("group_lines").execute();
  const values = lines.map((line, position) => ({
    id: line.id,
    position,
    source: line.source,
    pattern: line.pattern,
    is_pattern: toFlag(line.isPattern),
    tags: JSON.stringify(line.tags),
    tag_start: line.tagStart,
    role: line.role,
    admin_by_scim: toFlag(line.adminByScim),
  }));
  if (values.length > 0) await kysely.insertInto("group_lines").values(values).execute();
  return revision + 1;
}
