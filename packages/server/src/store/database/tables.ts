import type { Kysely } from "kysely";
import type { AccountTables } from "./tables/account-tables.ts";
import type { ApprovalTables } from "./tables/approval-tables.ts";
import type { ChannelTables } from "./tables/channel-tables.ts";
import type { GroupTables } from "./tables/group-tables.ts";
import type { HubTables } from "./tables/hub-tables.ts";
import type { MachineTables } from "./tables/machine-tables.ts";
import type { OAuthTables } from "./tables/oauth-tables.ts";
import type { PendingTables } from "./tables/pending-tables.ts";
import type { PluginTables } from "./tables/plugin-tables.ts";
import type { RowTables } from "./tables/row-tables.ts";
import type { RuleTables } from "./tables/rule-tables.ts";
import type { RunTables } from "./tables/run-tables.ts";
import type { ScimTables } from "./tables/scim-tables.ts";
import type { SecondFactorTables } from "./tables/second-factor-tables.ts";
import type { SecretTables } from "./tables/secret-tables.ts";
import type { UserTables } from "./tables/user-tables.ts";
import type { WorkflowTables } from "./tables/workflow-tables.ts";

/** The tables of the database. Times are epoch ms, flags 0 or 1. */
export type Tables = AccountTables &
  ApprovalTables &
  ChannelTables &
  GroupTables &
  HubTables &
  MachineTables &
  OAuthTables &
  PendingTables &
  PluginTables &
  RowTables &
  RuleTables &
  RunTables &
  ScimTables &
  SecondFactorTables &
  SecretTables &
  UserTables &
  WorkflowTables;

/** The database, or a transaction of it. */
export type Db = Kysely<Tables>;
