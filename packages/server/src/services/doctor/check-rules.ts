import { listRules } from "../../store/rules/call-rules-table.ts";
import { createDeciderCounts, listWarnings } from "../rules/present-rule.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

const atOnce = 500;
const namedMax = 20;

/** Rules whose questions cannot be decided. Nothing is shown without rules. */
export async function checkRules({ store: { db } }: Pick<DoctorDeps, "store">): Promise<Check[]> {
  const deciders = createDeciderCounts(db);
  const problems: string[] = [];
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const rules = await listRules(db, { after, limit: atOnce });
    count += rules.length;
    for (const { record, row } of rules) {
      for (const warning of await listWarnings(deciders, record)) {
        problems.push(`"${record.name}" of "${row.label}": ${warning}`);
      }
    }
    after = rules.at(-1)?.record.id;
    if (rules.length < atOnce) break;
  }
  if (count === 0) return [];
  const message = `${count} in all`;
  if (problems.length === 0) return [toCheck("rules", "ok", message)];
  const left = problems.length - namedMax;
  const more = left > 0 ? [`${left} more. See hub rule list.`] : [];
  const shown = [...problems.slice(0, namedMax), ...more].join(" ");
  return [toCheck("rules", "warn", `${message}; ${shown}`)];
}
