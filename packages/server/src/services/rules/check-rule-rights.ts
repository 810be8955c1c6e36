import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { listTagsOfRules, rowHasDestructiveRule } from "../../store/rules/rule-reach.ts";

export const tokenRefusal =
  "A token reads rules and cannot change them. Sign in and open the row, or run `hub rule` on the hub's machine.";

/** Rules are for models and programs, which have tokens: they must not lift them. Chats decide nothing here either. */
export function checkChangesRules({ via }: Actor): void {
  if (via === "session" || via === "command line" || via === "hub") return;
  throw new HubError("forbidden", tokenRefusal);
}

/**
 * Throws if a token gives a user a tag by which a rule spares calls or lets users decide. With it, a client that must be
 * asked would lift its own rule.
 */
export async function checkGivesRuleTags(
  db: Db,
  { via }: Actor,
  given: readonly string[],
): Promise<void> {
  if (via !== "token" || given.length === 0) return;
  const used = await listTagsOfRules(db);
  const found = given.filter((tag) => used.has(tag));
  if (found.length === 0) return;
  throw new HubError(
    "forbidden",
    `A token cannot give a user the tag ${found.join(" or ")}: rules that ask before acting name it. Send this request from a signed-in browser, or use \`hub user\` on the hub's machine.`,
  );
}

/** Throws if a token marks operations as reading in a row of which destructive operations are asked about. */
export async function checkMarksRuleOperations(
  db: Db,
  { via }: Actor,
  rowId: string,
): Promise<void> {
  if (via !== "token" || !(await rowHasDestructiveRule(db, rowId))) return;
  throw new HubError(
    "forbidden",
    "A token cannot change which operations are destructive in a row that asks before destructive ones. Sign in and open the row, or use `hub op` or `hub bridge` on the hub's machine.",
  );
}
