import { accountColumns } from "./tables/account-tables.ts";
import { approvalColumns } from "./tables/approval-tables.ts";
import { channelColumns } from "./tables/channel-tables.ts";
import { groupColumns } from "./tables/group-tables.ts";
import { hubColumns } from "./tables/hub-tables.ts";
import { machineColumns } from "./tables/machine-tables.ts";
import { oauthColumns } from "./tables/oauth-tables.ts";
import { pendingColumns } from "./tables/pending-tables.ts";
import { rowColumns } from "./tables/row-tables.ts";
import { ruleColumns } from "./tables/rule-tables.ts";
import { runColumns } from "./tables/run-tables.ts";
import { scimColumns } from "./tables/scim-tables.ts";
import { secondFactorColumns } from "./tables/second-factor-tables.ts";
import { secretColumns } from "./tables/secret-tables.ts";
import { userColumns } from "./tables/user-tables.ts";
import { workflowColumns } from "./tables/workflow-tables.ts";
import type { Tables } from "./tables.ts";

/**
 * The columns of the tables that are read whole. A query names its columns: after a migration that adds one, PostgreSQL refuses
 * a `select *` that a server of the version before has prepared. The compiler checks that no column is missing.
 */
export const tableColumns = {
  ...accountColumns,
  ...approvalColumns,
  ...channelColumns,
  ...groupColumns,
  ...hubColumns,
  ...machineColumns,
  ...oauthColumns,
  ...pendingColumns,
  ...rowColumns,
  ...ruleColumns,
  ...runColumns,
  ...scimColumns,
  ...secondFactorColumns,
  ...secretColumns,
  ...userColumns,
  ...workflowColumns,
} as const;

type Columns = typeof tableColumns;
type Missing = {
  [Table in keyof Columns]: Exclude<keyof Tables[Table], Columns[Table][number]>;
}[keyof Columns];

/** Does not compile if a list lacks a column. */
const missing: [Missing] extends [never] ? null : Missing = null;
void missing;

/** The same with the name of their table, for queries of several tables. */
export function qualify<Table extends keyof Columns>(
  table: Table,
): Array<`${Table}.${Columns[Table][number]}`> {
  const columns: ReadonlyArray<Columns[Table][number]> = tableColumns[table];
  return columns.map((column) => `${table}.${column}` as const);
}
