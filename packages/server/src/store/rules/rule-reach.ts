import { parseJson } from "@hub/connector";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** All tags by which rules spare calls or let users decide. */
export async function listTagsOfRules(db: Db): Promise<ReadonlySet<string>> {
  const rules = await toKysely(db)
    .selectFrom("call_rules")
    .select(["condition", "decide"])
    .execute();
  return new Set(
    rules.flatMap(({ condition, decide }) => [
      ...toTexts(Object(parseJson(decide)).tags),
      ...toTexts(Object(Object(Object(parseJson(condition)).users).not).tags),
    ]),
  );
}

/** Whether a row has a rule whose effect depends on which operations are destructive. */
export async function rowHasDestructiveRule(db: Db, rowId: string): Promise<boolean> {
  const rules = await toKysely(db)
    .selectFrom("call_rules")
    .select(["condition", "hour", "confirm"])
    .where("row_id", "=", rowId)
    .execute();
  return rules.some(
    ({ condition, hour, confirm }) =>
      Object(parseJson(condition)).destructive === true ||
      confirm === "client" ||
      (Object(parseJson(hour)).allowed === true && Object(parseJson(hour)).destructive !== true),
  );
}

/** The ids of the rows that have a rule. */
export async function listRuledRows(db: Db): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("call_rules")
    .select("row_id")
    .distinct()
    .where("row_id", "is not", null)
    .orderBy("row_id")
    .execute();
  return found.flatMap(({ row_id: id }) => id ?? []);
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
