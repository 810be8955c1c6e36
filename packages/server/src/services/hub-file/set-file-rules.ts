import type { HubFileChange, HubFileRow } from "@hub/contract/hub-file.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import type { Db } from "../../store/database/database.ts";
import { listRowRules } from "../../store/rules/call-rules-table.ts";
import { findEmails, findUserIds } from "../../store/search/name-lookups.ts";
import { type CheckedRule, ruleInputSchema } from "../rules/check-rule.ts";
import { deleteRule, setRule } from "../rules/manage-rules.ts";
import { toRuleMembers } from "../rules/present-rule.ts";
import { type ApplyContext, at } from "./apply-context.ts";

type FileRules = NonNullable<HubFileRow["rules"]>;

/** The rules of a row as a file has them: users by e-mail, and only what differs from the defaults. */
export async function readFileRules(db: Db, rowId: string): Promise<FileRules> {
  const rules = (await listRowRules(db, rowId)).map(toRuleMembers);
  const emails = await findEmails(
    db,
    rules.flatMap((rule) => rule.except_users),
  );
  return rules.map((rule) => {
    const users = rule.except_users.flatMap((id) => emails.get(id) ?? []);
    return withoutDefaults({ ...rule, except_users: users });
  });
}

function withoutDefaults(rule: CheckedRule): FileRules[number] {
  const defaults = new Map<string, unknown>(
    Object.entries(ruleInputSchema.parse({ asks: rule.asks })),
  );
  const members = Object.entries(rule).filter(
    ([member, value]) => !Bun.deepEquals(value, defaults.get(member)),
  );
  return { ...Object.fromEntries(members), asks: rule.asks };
}

/** Gives a row the rules of the file, in the place of those that it has. */
export async function setFileRules(
  context: ApplyContext,
  place: ValuePath,
  rowId: string,
  rules: HubFileRow["rules"],
): Promise<HubFileChange["fields"]> {
  if (rules === undefined) return [];
  const { deps, author } = context;
  const { db } = deps.store;
  const before = await listRowRules(db, rowId);
  const from = await readFileRules(db, rowId);
  const seen = new Set<string | null>();
  for (const [index, rule] of rules.entries()) {
    const here = [...place, "rules", index];
    const { operation = null } = rule;
    if (seen.has(operation)) {
      throw context.refuse(
        here,
        "Another item of rules is for the same operation or the same row.",
      );
    }
    seen.add(operation);
    await at(context, here, async () => {
      const ids = await toUserIds(context, here, rule.except_users ?? []);
      await setRule(deps, author.actor, rowId, { ...rule, except_users: ids });
    });
  }
  for (const record of before) {
    if (seen.has(record.operationKey)) continue;
    await deleteRule(deps, author.actor, rowId, { rule: record.id });
  }
  const to = await readFileRules(db, rowId);
  return Bun.deepEquals(from, to) ? [] : [{ field: "rules", from, to, secret: false }];
}

async function toUserIds(
  { deps, refuse }: ApplyContext,
  place: ValuePath,
  emails: readonly string[],
): Promise<CheckedRule["except_users"]> {
  const wanted = emails.map((email) => email.trim().toLowerCase());
  const ids = await findUserIds(deps.store.db, wanted);
  return wanted.map((email, index) => {
    const id = ids.get(email);
    if (id !== undefined) return id;
    throw refuse([...place, "except_users", index], `There is no user "${email}".`);
  });
}
