import type { Endpoint } from "./endpoint.ts";
import * as accounts from "./endpoints/account-endpoints.ts";
import * as administration from "./endpoints/administration-endpoints.ts";
import * as applications from "./endpoints/application-endpoints.ts";
import * as attention from "./endpoints/attention-endpoints.ts";
import * as batches from "./endpoints/batch-endpoints.ts";
import * as callables from "./endpoints/callable-endpoints.ts";
import * as channels from "./endpoints/channel-endpoints.ts";
import * as chatAccounts from "./endpoints/chat-account-endpoints.ts";
import * as connections from "./endpoints/connection-endpoints.ts";
import * as connectors from "./endpoints/connector-endpoints.ts";
import * as factors from "./endpoints/factor-endpoints.ts";
import * as groups from "./endpoints/group-endpoints.ts";
import * as pendingCalls from "./endpoints/pending-call-endpoints.ts";
import * as plugins from "./endpoints/plugin-endpoints.ts";
import * as rowAccess from "./endpoints/row-access-endpoints.ts";
import * as rowConnections from "./endpoints/row-connection-endpoints.ts";
import * as rowDiscovery from "./endpoints/row-discovery-endpoints.ts";
import * as rows from "./endpoints/row-endpoints.ts";
import * as rowLists from "./endpoints/row-list-endpoints.ts";
import * as rowOperations from "./endpoints/row-operation-endpoints.ts";
import * as rowWidgets from "./endpoints/row-widget-endpoints.ts";
import * as rules from "./endpoints/rule-endpoints.ts";
import * as runs from "./endpoints/run-endpoints.ts";
import * as runStatistics from "./endpoints/run-statistics-endpoints.ts";
import * as searches from "./endpoints/search-endpoints.ts";
import * as serverImports from "./endpoints/server-import-endpoints.ts";
import * as sessions from "./endpoints/session-endpoints.ts";
import * as users from "./endpoints/user-endpoints.ts";
import * as userLists from "./endpoints/user-list-endpoints.ts";
import * as approvals from "./endpoints/workflow-approval-endpoints.ts";
import * as workflows from "./endpoints/workflow-endpoints.ts";
import * as explanations from "./endpoints/workflow-explanation-endpoints.ts";
import * as workflowParts from "./endpoints/workflow-part-endpoints.ts";
import * as workflowPins from "./endpoints/workflow-pin-endpoints.ts";
import * as workflowRuns from "./endpoints/workflow-run-endpoints.ts";
import * as workflowRunEvents from "./endpoints/workflow-run-event-endpoints.ts";
import * as scheduledRuns from "./endpoints/workflow-scheduled-endpoints.ts";
import * as webhooks from "./endpoints/workflow-webhook-endpoints.ts";
import {
  admin,
  adminInBrowser,
  adminInConnectBrowser,
  adminInFactorBrowser,
  adminInRuleBrowser,
  type Guard,
  inAccountBrowser,
  inApprovalBrowser,
  inBrowser,
  inChatBrowser,
  inFactorBrowser,
  managesFlow,
  readsFlow,
  seesChannel,
  seesFlow,
  seesRow,
  signedIn,
  testsRow,
} from "./guard.ts";

/** One route of the API. `path` names its parameters in braces. */
export type ApiRoute = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  guard: Guard;
  endpoint: Endpoint;
};

type Line = [ApiRoute["method"], string, Guard, Endpoint];

// biome-ignore format: one line per route, so that all of them fit on one screen
const lines: Line[] = [
  ["GET",    "/manager/api/connectors",                                     signedIn, connectors.listConnectors],
  ["GET",    "/manager/api/connectors/{key}",                               signedIn, connectors.showConnector],
  ["POST",   "/manager/api/connectors/{key}/type-disable",                  admin,    connectors.disableType],
  ["POST",   "/manager/api/connectors/{key}/type-enable",                   admin,    connectors.enableType],
  ["GET",    "/manager/api/rows",                                           signedIn, rowLists.listRows],
  ["POST",   "/manager/api/rows",                                           admin,    rows.addRow],
  ["POST",   "/manager/api/rows/bulk",                                      admin,    rowLists.changeRows],
  ["POST",   "/manager/api/rows/sample",                                    admin,    rows.makeSampleRow],
  ["POST",   "/manager/api/imports/plan",                                   adminInBrowser, serverImports.planImport],
  ["POST",   "/manager/api/imports",                                        adminInBrowser, serverImports.importServers],
  ["POST",   "/manager/api/connections/plan",                               admin,    connections.planConnection],
  ["POST",   "/manager/api/connections",                                    admin,    connections.makeConnection],
  ["GET",    "/manager/api/rows/{row}",                                     seesRow,  rows.showRow],
  ["PATCH",  "/manager/api/rows/{row}",                                     admin,    rows.changeRow],
  ["DELETE", "/manager/api/rows/{row}",                                     admin,    rows.deleteRow],
  ["POST",   "/manager/api/rows/{row}/enable",                              admin,    rows.enableRow],
  ["POST",   "/manager/api/rows/{row}/disable",                             admin,    rows.disableRow],
  ["POST",   "/manager/api/rows/{row}/duplicate",                           admin,    rows.duplicateRow],
  ["GET",    "/manager/api/channels",                                       signedIn, channels.listChannels],
  ["GET",    "/manager/api/rows/{row}/channel",                             admin,    channels.showChannel],
  ["GET",    "/manager/api/rows/{row}/channel/workflows",                   admin,    channels.listChannelUses],
  ["PUT",    "/manager/api/rows/{row}/slug",                                admin,    channels.setChannelSlug],
  ["GET",    "/manager/api/rows/{row}/access",                              admin,    rowAccess.showRowAccess],
  ["GET",    "/manager/api/rows/{row}/access/preview",                      admin,    rowAccess.previewRowAccess],
  ["PUT",    "/manager/api/rows/{row}/access",                              admin,    rowAccess.setRowAccess],
  ["GET",    "/manager/api/rules",                                          admin,    rules.listRules],
  ["GET",    "/manager/api/rows/{row}/rules",                               admin,    rules.listRowRules],
  ["PUT",    "/manager/api/rows/{row}/rules",                               adminInRuleBrowser, rules.setRowRule],
  ["DELETE", "/manager/api/rows/{row}/rules/{rule}",                        adminInRuleBrowser, rules.deleteRowRule],
  ["GET",    "/manager/api/rows/{row}/settings",                            admin,    rows.showRowSettings],
  ["PATCH",  "/manager/api/rows/{row}/settings",                            admin,    rows.saveRowSettings],
  ["POST",   "/manager/api/rows/{row}/seal-secrets",                        admin,    rows.sealRowSecrets],
  ["PUT",    "/manager/api/rows/{row}/fields/{field}",                      admin,    rows.saveRowField],
  ["POST",   "/manager/api/rows/{row}/fields/{field}/generate",             admin,    rows.generateRowField],
  ["POST",   "/manager/api/rows/{row}/fields/{field}/widget",               testsRow, rowWidgets.useRowWidget],
  ["GET",    "/channels/{channel}/lookup",                                  seesChannel, channels.lookUpInChannel],
  ["GET",    "/manager/api/rows/{row}/lookup",                              seesRow,  rowOperations.lookUpForRow],
  ["GET",    "/manager/api/accounts",                                       signedIn, accounts.listAccounts],
  ["POST",   "/manager/api/accounts",                                       inAccountBrowser, accounts.addAccount],
  ["POST",   "/manager/api/accounts/sign-in",                               inAccountBrowser, accounts.beginAccountSignIn],
  ["PATCH",  "/manager/api/accounts/{account}",                             inAccountBrowser, accounts.changeAccount],
  ["DELETE", "/manager/api/accounts/{account}",                             signedIn, accounts.removeAccount],
  ["GET",    "/manager/api/rows/{row}/connection",                          admin,    rowConnections.showRowConnection],
  ["POST",   "/manager/api/rows/{row}/connect",                             adminInConnectBrowser, rowConnections.connectRow],
  ["POST",   "/manager/api/rows/{row}/disconnect",                          admin,    rowConnections.disconnectRow],
  ["POST",   "/manager/api/rows/{row}/health",                              admin,    rowOperations.checkRowHealth],
  ["POST",   "/manager/api/rows/{row}/discover",                            admin,    rowDiscovery.discoverRow],
  ["POST",   "/manager/api/rows/{row}/servers",                             admin,    rowDiscovery.findRowServers],
  ["GET",    "/manager/api/rows/{row}/review",                              admin,    rowDiscovery.showReview],
  ["GET",    "/manager/api/rows/{row}/review/lines",                        admin,    rowDiscovery.listReviewLines],
  ["POST",   "/manager/api/rows/{row}/review/hide",                         admin,    rowDiscovery.hideOperations],
  ["GET",    "/manager/api/rows/{row}/left-out",                            admin,    rowDiscovery.listLeftOut],
  ["POST",   "/manager/api/rows/{row}/approve",                             admin,    rowDiscovery.approveOperations],
  ["POST",   "/manager/api/rows/{row}/reads",                               admin,    rowDiscovery.markReads],
  ["GET",    "/manager/api/rows/{row}/operations",                          seesRow,  rowOperations.listRowOperations],
  ["GET",    "/manager/api/rows/{row}/operations/{operation}",              seesRow,  rowOperations.showOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/enable",       admin,    rowOperations.enableOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/disable",      admin,    rowOperations.disableOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/test",         testsRow, rowOperations.testOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget", testsRow, rowWidgets.useInputWidget],
  ["GET",    "/manager/api/rows/{row}/runs",                                seesRow,  runs.listRowRuns],
  ["GET",    "/manager/api/rows/{row}/runs/export",                         seesRow,  runs.exportRowRuns],
  ["GET",    "/manager/api/operations",                                     signedIn, callables.listCallableOperations],
  ["GET",    "/manager/api/operations/as-a-client",                         signedIn, callables.answerAsClient],
  ["POST",   "/manager/api/operations/calls",                               signedIn, batches.tryOperations],
  ["POST",   "/manager/api/operations/{row}/{operation}/call",              signedIn, callables.tryOperation],
  ["GET",    "/manager/api/attention",                                      signedIn, attention.listAttention],
  ["GET",    "/manager/api/overview",                                       signedIn, attention.showOverview],
  ["GET",    "/manager/api/search",                                         signedIn, searches.searchHub],
  ["GET",    "/manager/api/runs",                                           admin,    runs.listRuns],
  ["GET",    "/manager/api/runs/summary",                                   admin,    runStatistics.summarizeRuns],
  ["GET",    "/manager/api/runs/counts",                                    admin,    runStatistics.countRuns],
  ["GET",    "/manager/api/runs/figures",                                   admin,    runStatistics.figureRuns],
  ["GET",    "/manager/api/runs/errors",                                    admin,    runStatistics.groupRunErrors],
  ["GET",    "/manager/api/runs/export",                                    admin,    runs.exportAllRuns],
  ["GET",    "/manager/api/runs/{run}",                                     signedIn, runs.showRun],
  ["GET",    "/manager/api/runs/{run}/rules",                               admin,    rules.explainRunRules],
  ["GET",    "/manager/api/runs/{run}/form",                                admin,    runs.showRunForm],
  ["POST",   "/manager/api/runs/{run}/retry",                               signedIn, runs.retryRun],
  ["POST",   "/manager/api/runs/{run}/cancel",                              signedIn, runs.cancelRun],
  ["GET",    "/manager/api/plugins",                                        signedIn, plugins.listPlugins],
  ["GET",    "/manager/api/plugins/catalog",                                signedIn, plugins.browsePlugins],
  ["POST",   "/manager/api/plugins/install",                                admin,    plugins.installPlugin],
  ["POST",   "/manager/api/plugins/upload",                                 admin,    plugins.uploadPlugin],
  ["GET",    "/manager/api/plugins/{key}",                                  signedIn, plugins.showPlugin],
  ["POST",   "/manager/api/plugins/{key}/update",                           admin,    plugins.updatePlugin],
  ["POST",   "/manager/api/plugins/{key}/enable",                           admin,    plugins.enablePlugin],
  ["POST",   "/manager/api/plugins/{key}/disable",                          admin,    plugins.disablePlugin],
  ["DELETE", "/manager/api/plugins/{key}",                                  admin,    plugins.removePlugin],
  ["GET",    "/manager/api/workflows",                                       signedIn,    workflows.listWorkflows],
  ["POST",   "/manager/api/workflows",                                       signedIn,    workflows.createWorkflow],
  ["GET",    "/manager/api/workflow-examples",                               signedIn,    workflows.listWorkflowExamples],
  ["GET",    "/manager/api/workflow-schedule",                               signedIn,    explanations.previewWorkflowSchedule],
  ["POST",   "/manager/api/workflows/import",                                signedIn,    workflows.importWorkflow],
  ["POST",   "/manager/api/workflows/validate",                              signedIn,    workflows.validateWorkflowBody],
  ["GET",    "/manager/api/workflows/{workflow}",                            seesFlow,    workflows.showWorkflow],
  ["PATCH",  "/manager/api/workflows/{workflow}",                            managesFlow, workflows.changeWorkflow],
  ["DELETE", "/manager/api/workflows/{workflow}",                            managesFlow, workflows.deleteWorkflow],
  ["POST",   "/manager/api/workflows/{workflow}/enable",                     managesFlow, workflows.enableWorkflow],
  ["POST",   "/manager/api/workflows/{workflow}/disable",                    managesFlow, workflows.disableWorkflow],
  ["PUT",    "/manager/api/workflows/{workflow}/draft",                      managesFlow, workflows.saveWorkflowDraft],
  ["POST",   "/manager/api/workflows/{workflow}/validate",                   readsFlow,   workflows.validateWorkflow],
  ["POST",   "/manager/api/workflows/{workflow}/publish",                    managesFlow, workflows.publishWorkflow],
  ["POST",   "/manager/api/workflows/{workflow}/preview",                    managesFlow, workflowRuns.previewWorkflowTemplate],
  ["GET",    "/manager/api/workflows/{workflow}/versions",                   readsFlow,   workflowParts.listWorkflowVersions],
  ["GET",    "/manager/api/workflows/{workflow}/versions/{version}",         readsFlow,   workflowParts.showWorkflowVersion],
  ["POST",   "/manager/api/workflows/{workflow}/versions/{version}/restore", managesFlow, workflowParts.restoreWorkflowVersion],
  ["GET",    "/manager/api/workflows/{workflow}/diff",                       readsFlow,   workflowParts.compareWorkflowVersions],
  ["GET",    "/manager/api/workflows/{workflow}/explanation",                readsFlow,   explanations.explainWorkflow],
  ["GET",    "/manager/api/workflows/{workflow}/export",                     readsFlow,   workflows.exportWorkflow],
  ["GET",    "/manager/api/workflows/{workflow}/opened",                     readsFlow,   workflows.listWorkflowOpened],
  ["PUT",    "/manager/api/workflows/{workflow}/tags",                       managesFlow, workflows.setWorkflowTags],
  ["GET",    "/manager/api/workflows/{workflow}/secrets",                    readsFlow,   workflowParts.listWorkflowSecrets],
  ["PUT",    "/manager/api/workflows/{workflow}/secrets/{secret}",           managesFlow, workflowParts.setWorkflowSecret],
  ["DELETE", "/manager/api/workflows/{workflow}/secrets/{secret}",           managesFlow, workflowParts.removeWorkflowSecret],
  ["GET",    "/manager/api/workflows/{workflow}/pins",                       managesFlow, workflowPins.listWorkflowPins],
  ["PUT",    "/manager/api/workflows/{workflow}/pins/{node}",                managesFlow, workflowPins.setWorkflowPin],
  ["DELETE", "/manager/api/workflows/{workflow}/pins/{node}",                managesFlow, workflowPins.removeWorkflowPin],
  ["GET",    "/manager/api/workflows/{workflow}/ticks",                      managesFlow, scheduledRuns.listWorkflowTicks],
  ["GET",    "/manager/api/workflows/{workflow}/scheduled",                  managesFlow, scheduledRuns.listScheduledRuns],
  ["PATCH",  "/manager/api/workflows/{workflow}/scheduled/{run}",            managesFlow, scheduledRuns.moveScheduledRun],
  ["DELETE", "/manager/api/workflows/{workflow}/scheduled/{run}",            managesFlow, scheduledRuns.dropScheduledRun],
  ["GET",    "/manager/api/workflows/{workflow}/webhooks",                   managesFlow, webhooks.listWorkflowWebhooks],
  ["GET",    "/manager/api/workflows/{workflow}/deliveries",                 managesFlow, webhooks.listWorkflowDeliveries],
  ["POST",   "/manager/api/workflows/{workflow}/offer",                      managesFlow, workflowParts.offerWorkflow],
  ["DELETE", "/manager/api/workflows/{workflow}/offer",                      readsFlow,   workflowParts.endWorkflowOffer],
  ["POST",   "/manager/api/workflows/{workflow}/accept",                     readsFlow,   workflowParts.acceptWorkflow],
  ["GET",    "/manager/api/workflows/{workflow}/manual",                     seesFlow,    workflowRuns.listWorkflowManualTriggers],
  ["POST",   "/manager/api/workflows/{workflow}/runs",                       seesFlow,    workflowRuns.startWorkflowRun],
  ["GET",    "/manager/api/workflows/{workflow}/runs",                       seesFlow,    workflowRuns.listWorkflowRuns],
  ["GET",    "/manager/api/workflows/{workflow}/runs/{run}",                 seesFlow,    workflowRuns.showWorkflowRun],
  ["GET",    "/manager/api/workflows/{workflow}/runs/{run}/body",            managesFlow, workflowRuns.showWorkflowRunBody],
  ["GET",    "/manager/api/workflows/{workflow}/runs/{run}/diagnosis",       managesFlow, explanations.diagnoseWorkflowRun],
  ["GET",    "/manager/api/workflows/{workflow}/runs/{run}/events",          seesFlow,    workflowRunEvents.followWorkflowRun],
  ["POST",   "/manager/api/workflows/{workflow}/runs/{run}/cancel",          seesFlow,    workflowRuns.cancelWorkflowRun],
  ["POST",   "/manager/api/workflows/{workflow}/runs/{run}/replay",          managesFlow, workflowRuns.replayWorkflowRun],
  ["GET",    "/manager/api/workflows/{workflow}/runs/{run}/resume",          managesFlow, workflowRuns.previewWorkflowResume],
  ["POST",   "/manager/api/workflows/{workflow}/runs/{run}/resume",          managesFlow, workflowRuns.resumeWorkflowRun],
  ["GET",    "/manager/api/approvals",                                       signedIn,          approvals.listApprovals],
  ["GET",    "/manager/api/approvals/{approval}",                            signedIn,          approvals.showApproval],
  ["POST",   "/manager/api/approvals/{approval}/decide",                     inApprovalBrowser, approvals.decideApproval],
  ["GET",    "/manager/api/pending-calls",                                   signedIn,          pendingCalls.listPendingCalls],
  ["GET",    "/manager/api/waiting-decisions",                               signedIn,          pendingCalls.listWaitingDecisions],
  ["GET",    "/manager/api/pending-calls/{call}",                            signedIn,          pendingCalls.showPendingCall],
  ["POST",   "/manager/api/pending-calls/{call}/decision",                   inApprovalBrowser, pendingCalls.decidePendingCall],
  ["PUT",    "/manager/api/pending-calls/{call}/deputy",                     inApprovalBrowser, pendingCalls.setPendingCallDeputy],
  ["GET",    "/manager/api/permits",                                         signedIn,          pendingCalls.listPermits],
  ["DELETE", "/manager/api/permits/{permit}",                                signedIn,          pendingCalls.endPermit],
  ["GET",    "/admin/api/users",                                            admin,    userLists.listUsers],
  ["POST",   "/admin/api/users",                                            admin,    users.addUser],
  ["GET",    "/admin/api/users/{user}",                                     admin,    users.showUser],
  ["PATCH",  "/admin/api/users/{user}",                                     admin,    users.changeUser],
  ["GET",    "/admin/api/users/{user}/groups",                              admin,    groups.showGroupsOfUser],
  ["GET",    "/admin/api/groups",                                           admin,    groups.listGroups],
  ["PUT",    "/admin/api/groups",                                           admin,    groups.replaceGroups],
  ["POST",   "/admin/api/users/{user}/enable",                              admin,    users.enableUser],
  ["POST",   "/admin/api/users/{user}/disable",                             admin,    users.disableUser],
  ["POST",   "/admin/api/users/{user}/unlock",                              admin,    users.unlockUser],
  ["POST",   "/admin/api/users/{user}/one-time-password",                   admin,    users.setOneTimePassword],
  ["POST",   "/admin/api/users/{user}/sessions/end",                        admin,    sessions.endUserSessions],
  ["GET",    "/admin/api/users/{user}/rows",                                admin,    users.listUserRows],
  ["GET",    "/admin/api/users/{user}/tag-preview",                         admin,    userLists.previewUserTags],
  ["GET",    "/admin/api/users/{user}/identities",                          admin,    users.listUserIdentities],
  ["DELETE", "/admin/api/users/{user}/identities/{identity}",               admin,    users.unlinkIdentity],
  ["GET",    "/admin/api/users/{user}/chat-accounts",                       admin,    chatAccounts.listUserChatAccounts],
  ["DELETE", "/admin/api/users/{user}/chat-accounts/{account}",             admin,    chatAccounts.unlinkUserChatAccount],
  ["GET",    "/admin/api/users/{user}/factors",                             admin,    factors.listUserFactors],
  ["DELETE", "/admin/api/users/{user}/factors",                             adminInFactorBrowser, factors.removeUserFactors],
  ["GET",    "/admin/api/refused-sign-ins",                                 admin,    administration.listRefusedSignIns],
  ["GET",    "/admin/api/tags",                                             admin,    administration.listTags],
  ["GET",    "/admin/api/tokens",                                           admin,    userLists.listTokens],
  ["POST",   "/admin/api/tokens/{token}/revoke",                            admin,    users.revokeToken],
  ["GET",    "/admin/api/sessions",                                         admin,    sessions.listSessions],
  ["POST",   "/admin/api/sessions/{session}/end",                           admin,    sessions.endSession],
  ["GET",    "/admin/api/applications",                                     admin,    applications.listApplications],
  ["POST",   "/admin/api/applications/{application}/revoke",                admin,    applications.revokeApplication],
  ["GET",    "/admin/api/status",                                           admin,    administration.showStatus],
  ["GET",    "/admin/api/doctor",                                           admin,    administration.runChecks],
  ["GET",    "/admin/api/settings",                                         admin,    administration.listSettings],
  ["PUT",    "/admin/api/settings/{setting}",                               admin,    administration.setSetting],
  ["DELETE", "/admin/api/settings/{setting}",                               admin,    administration.resetSetting],
  ["GET",    "/admin/api/changes",                                          admin,    administration.listChanges],
  ["GET",    "/profile/api/me",                                             signedIn, users.showMe],
  ["GET",    "/profile/api/setup",                                          signedIn, attention.showSetup],
  ["GET",    "/profile/api/tokens",                                         signedIn, users.listOwnTokens],
  ["POST",   "/profile/api/tokens",                                         inBrowser, users.createOwnToken],
  ["POST",   "/profile/api/tokens/{token}/revoke",                          signedIn, users.revokeOwnToken],
  ["POST",   "/profile/api/tokens/{token}/rotate",                          inBrowser, users.rotateOwnToken],
  ["GET",    "/profile/api/sessions",                                       signedIn, sessions.listOwnSessions],
  ["POST",   "/profile/api/sessions/end-others",                            signedIn, sessions.endOtherSessions],
  ["POST",   "/profile/api/sessions/{session}/end",                         signedIn, sessions.endOwnSession],
  ["GET",    "/profile/api/identities",                                     signedIn, users.listOwnIdentities],
  ["GET",    "/profile/api/factors",                                        signedIn, factors.listOwnFactors],
  ["DELETE", "/profile/api/factors/{factor}",                               inFactorBrowser, factors.removeOwnFactor],
  ["GET",    "/profile/api/chat-accounts",                                  inChatBrowser, chatAccounts.listOwnChatAccounts],
  ["POST",   "/profile/api/chat-accounts/links",                            inChatBrowser, chatAccounts.beginChatLink],
  ["POST",   "/profile/api/chat-accounts/links/{link}/confirm",             inChatBrowser, chatAccounts.confirmChatLink],
  ["DELETE", "/profile/api/chat-accounts/links/{link}",                     inChatBrowser, chatAccounts.cancelChatLink],
  ["DELETE", "/profile/api/chat-accounts/{account}",                        inChatBrowser, chatAccounts.unlinkOwnChatAccount],
  ["GET",    "/profile/api/applications",                                   signedIn, applications.listOwnApplications],
  ["POST",   "/profile/api/applications/{application}/revoke",              signedIn, applications.revokeOwnApplication],
  ["GET",    "/profile/api/runs",                                           signedIn, runs.listOwnRuns],
  ["GET",    "/profile/api/runs/counts",                                    signedIn, runStatistics.countOwnRuns],
  ["GET",    "/profile/api/runs/export",                                    signedIn, runs.exportOwnRuns],
  ["GET",    "/profile/api/runs/figures",                                   signedIn, runStatistics.figureOwnRuns],
  ["GET",    "/profile/api/runs/errors",                                    signedIn, runStatistics.groupOwnRunErrors],
];

/** Every route of the API with its guard. */
export const apiRoutes: readonly ApiRoute[] = lines.map(([method, path, guard, endpoint]) => ({
  method,
  path,
  guard,
  endpoint,
}));
