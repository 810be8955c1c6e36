import type { Migration } from "./migration.ts";
import initial from "./migrations/001-initial.sql" with { type: "text" };
import plugins from "./migrations/002-plugins.sql" with { type: "text" };
import people from "./migrations/003-people.sql" with { type: "text" };
import oauth from "./migrations/004-oauth.sql" with { type: "text" };
import changes from "./migrations/005-changes.sql" with { type: "text" };
import history from "./migrations/006-history.sql" with { type: "text" };
import tokenScopes from "./migrations/007-token-scopes.sql" with { type: "text" };
import runBytes from "./migrations/008-run-bytes.sql" with { type: "text" };
import signInCounters from "./migrations/009-sign-in-counters.sql" with { type: "text" };
import instanceAddresses from "./migrations/010-instance-addresses.sql" with { type: "text" };
import embeddings from "./migrations/011-embeddings.sql" with { type: "text" };
import servers from "./migrations/012-servers.sql" with { type: "text" };
import pluginInstalls from "./migrations/013-plugin-installs.sql" with { type: "text" };
import turnsAndLimits from "./migrations/014-turns-and-limits.sql" with { type: "text" };
import clockOffsets from "./migrations/015-clock-offsets.sql" with { type: "text" };
import failedRuns from "./migrations/016-failed-runs.sql" with { type: "text" };
import workflows from "./migrations/017-workflows.sql" with { type: "text" };
import workflowRuns from "./migrations/018-workflow-runs.sql" with { type: "text" };
import workflowTriggers from "./migrations/019-workflow-triggers.sql" with { type: "text" };
import webhookRequests from "./migrations/020-webhook-requests.sql" with { type: "text" };
import dueRunsByOwner from "./migrations/021-due-runs-by-owner.sql" with { type: "text" };
import channels from "./migrations/022-channels.sql" with { type: "text" };
import chatAccounts from "./migrations/023-chat-accounts.sql" with { type: "text" };
import workflowApprovals from "./migrations/024-workflow-approvals.sql" with { type: "text" };
import dryRuns from "./migrations/025-rehearsals.sql" with { type: "text" };
import approvalMessages from "./migrations/026-approval-messages.sql" with { type: "text" };
import trials from "./migrations/027-trials.sql" with { type: "text" };
import rowOperations from "./migrations/028-row-operations.sql" with { type: "text" };
import rowConnections from "./migrations/029-row-connections.sql" with { type: "text" };
import stepOrder from "./migrations/030-step-order.sql" with { type: "text" };
import runHolders from "./migrations/031-run-holders.sql" with { type: "text" };
import droppedRuns from "./migrations/032-dropped-runs.sql" with { type: "text" };
import rowOwners from "./migrations/033-row-owners.sql" with { type: "text" };
import rowTests from "./migrations/034-row-tests.sql" with { type: "text" };
import callCauses from "./migrations/035-call-causes.sql" with { type: "text" };
import readingOperations from "./migrations/036-reading-operations.sql" with { type: "text" };
import rowActivity from "./migrations/037-row-activity.sql" with { type: "text" };
import rowBeginnings from "./migrations/038-row-beginnings.sql" with { type: "text" };
import innerCalls from "./migrations/039-inner-calls.sql" with { type: "text" };
import approvalSummaries from "./migrations/040-approval-summaries.sql" with { type: "text" };
import workflowPins from "./migrations/041-workflow-pins.sql" with { type: "text" };
import pendingCalls from "./migrations/042-pending-calls.sql" with { type: "text" };
import callRules from "./migrations/043-call-rules.sql" with { type: "text" };
import userAccounts from "./migrations/044-user-accounts.sql" with { type: "text" };
import waitingApprovers from "./migrations/045-waiting-approvers.sql" with { type: "text" };
import callMessages from "./migrations/046-call-messages.sql" with { type: "text" };
import userOrigins from "./migrations/047-user-origins.sql" with { type: "text" };
import groups from "./migrations/048-groups.sql" with { type: "text" };
import scim from "./migrations/049-scim.sql" with { type: "text" };
import machines from "./migrations/050-machines.sql" with { type: "text" };
import secretSources from "./migrations/051-secret-sources.sql" with { type: "text" };
import secondFactors from "./migrations/052-second-factors.sql" with { type: "text" };
import { type SqlDialect, toDialect } from "./to-dialect.ts";

/** In the order in which they are applied. The text that a released migration becomes for a database never changes. */
const sources: ReadonlyArray<{ name: string; source: string }> = [
  { name: "001-initial", source: initial },
  { name: "002-plugins", source: plugins },
  { name: "003-people", source: people },
  { name: "004-oauth", source: oauth },
  { name: "005-changes", source: changes },
  { name: "006-history", source: history },
  { name: "007-token-scopes", source: tokenScopes },
  { name: "008-run-bytes", source: runBytes },
  { name: "009-sign-in-counters", source: signInCounters },
  { name: "010-instance-addresses", source: instanceAddresses },
  { name: "011-embeddings", source: embeddings },
  { name: "012-servers", source: servers },
  { name: "013-plugin-installs", source: pluginInstalls },
  { name: "014-turns-and-limits", source: turnsAndLimits },
  { name: "015-clock-offsets", source: clockOffsets },
  { name: "016-failed-runs", source: failedRuns },
  { name: "017-workflows", source: workflows },
  { name: "018-workflow-runs", source: workflowRuns },
  { name: "019-workflow-triggers", source: workflowTriggers },
  { name: "020-webhook-requests", source: webhookRequests },
  { name: "021-due-runs-by-owner", source: dueRunsByOwner },
  { name: "022-channels", source: channels },
  { name: "023-chat-accounts", source: chatAccounts },
  { name: "024-workflow-approvals", source: workflowApprovals },
  { name: "025-rehearsals", source: dryRuns },
  { name: "026-approval-messages", source: approvalMessages },
  { name: "027-trials", source: trials },
  { name: "028-row-operations", source: rowOperations },
  { name: "029-row-connections", source: rowConnections },
  { name: "030-step-order", source: stepOrder },
  { name: "031-run-holders", source: runHolders },
  { name: "032-dropped-runs", source: droppedRuns },
  { name: "033-row-owners", source: rowOwners },
  { name: "034-row-tests", source: rowTests },
  { name: "035-call-causes", source: callCauses },
  { name: "036-reading-operations", source: readingOperations },
  { name: "037-row-activity", source: rowActivity },
  { name: "038-row-beginnings", source: rowBeginnings },
  { name: "039-inner-calls", source: innerCalls },
  { name: "040-approval-summaries", source: approvalSummaries },
  { name: "041-workflow-pins", source: workflowPins },
  { name: "042-pending-calls", source: pendingCalls },
  { name: "043-call-rules", source: callRules },
  { name: "044-user-accounts", source: userAccounts },
  { name: "045-waiting-approvers", source: waitingApprovers },
  { name: "046-call-messages", source: callMessages },
  { name: "047-user-origins", source: userOrigins },
  { name: "048-groups", source: groups },
  { name: "049-scim", source: scim },
  { name: "050-machines", source: machines },
  { name: "051-secret-sources", source: secretSources },
  { name: "052-second-factors", source: secondFactors },
];

/** The migrations of the hub, as one database runs and records them. */
export function toMigrations(dialect: SqlDialect): Migration[] {
  return sources.map(({ name, source }) => ({ name, sql: toDialect(source, dialect) }));
}
