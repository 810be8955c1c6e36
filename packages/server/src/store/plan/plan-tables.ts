/**
 * Which rows the copy of a table starts with. All of them, but those of tables that only grow: a plan
 * reads none of the changes, and of the bodies only the drafts and what is published.
 */
export function toCopyCondition(table: string): string {
  return conditions[table] ?? "";
}

const conditions: Readonly<Record<string, string>> = {
  changes: "where false",
  workflow_bodies: `where id in (
    select draft_body_id from workflows union select published_body_id from workflows)`,
};
