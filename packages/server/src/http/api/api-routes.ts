import type { Endpoint } from "./endpoint.ts";
import {
  listChanges,
  listSettings,
  listTags,
  resetSetting,
  runChecks,
  setSetting,
  showStatus,
} from "./endpoints/administration.ts";
import {
  listApplications,
  listOwnApplications,
  revokeApplication,
  revokeOwnApplication,
} from "./endpoints/applications.ts";
import { disableType, enableType, listConnectors, showConnector } from "./endpoints/connectors.ts";
import {
  browsePlugins,
  disablePlugin,
  enablePlugin,
  installPlugin,
  listPlugins,
  removePlugin,
  showPlugin,
  updatePlugin,
} from "./endpoints/plugins.ts";
import {
  checkRowHealth,
  disableOperation,
  enableOperation,
  lookUpForRow,
  showOperation,
  testOperation,
  useInputWidget,
  useRowWidget,
} from "./endpoints/row-operations.ts";
import {
  addRow,
  changeRow,
  deleteRow,
  disableRow,
  duplicateRow,
  enableRow,
  generateRowField,
  listRows,
  saveRowField,
  showRow,
  showRowSettings,
} from "./endpoints/rows.ts";
import {
  cancelRun,
  exportAllRuns,
  exportRowRuns,
  listOwnRuns,
  listRowRuns,
  listRuns,
  retryRun,
  showRun,
  showRunForm,
  summarizeRuns,
} from "./endpoints/runs.ts";
import {
  endOtherSessions,
  endOwnSession,
  endSession,
  endUserSessions,
  listOwnSessions,
  listSessions,
} from "./endpoints/sessions.ts";
import {
  addUser,
  changeUser,
  createOwnToken,
  disableUser,
  enableUser,
  listOwnIdentities,
  listOwnTokens,
  listTokens,
  listUserIdentities,
  listUserRows,
  listUsers,
  revokeOwnToken,
  revokeToken,
  setOneTimePassword,
  showMe,
  showUser,
  unlinkIdentity,
  unlockUser,
} from "./endpoints/users.ts";
import { admin, type Guard, inBrowser, seesRow, signedIn } from "./guard.ts";

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
  ["GET",    "/manager/api/connectors",                                     signedIn, listConnectors],
  ["GET",    "/manager/api/connectors/{key}",                               signedIn, showConnector],
  ["POST",   "/manager/api/connectors/{key}/type-disable",                  admin,    disableType],
  ["POST",   "/manager/api/connectors/{key}/type-enable",                   admin,    enableType],
  ["GET",    "/manager/api/rows",                                           signedIn, listRows],
  ["POST",   "/manager/api/rows",                                           admin,    addRow],
  ["GET",    "/manager/api/rows/{row}",                                     seesRow,  showRow],
  ["PATCH",  "/manager/api/rows/{row}",                                     admin,    changeRow],
  ["DELETE", "/manager/api/rows/{row}",                                     admin,    deleteRow],
  ["POST",   "/manager/api/rows/{row}/enable",                              admin,    enableRow],
  ["POST",   "/manager/api/rows/{row}/disable",                             admin,    disableRow],
  ["POST",   "/manager/api/rows/{row}/duplicate",                           admin,    duplicateRow],
  ["GET",    "/manager/api/rows/{row}/settings",                            admin,    showRowSettings],
  ["PUT",    "/manager/api/rows/{row}/fields/{field}",                      admin,    saveRowField],
  ["POST",   "/manager/api/rows/{row}/fields/{field}/generate",             admin,    generateRowField],
  ["POST",   "/manager/api/rows/{row}/fields/{field}/widget",               admin,    useRowWidget],
  ["GET",    "/manager/api/rows/{row}/lookup",                              seesRow,  lookUpForRow],
  ["POST",   "/manager/api/rows/{row}/health",                              admin,    checkRowHealth],
  ["GET",    "/manager/api/rows/{row}/operations/{operation}",              seesRow,  showOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/enable",       admin,    enableOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/disable",      admin,    disableOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/test",         admin,    testOperation],
  ["POST",   "/manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget", admin, useInputWidget],
  ["GET",    "/manager/api/rows/{row}/runs",                                seesRow,  listRowRuns],
  ["GET",    "/manager/api/rows/{row}/runs/export",                         seesRow,  exportRowRuns],
  ["GET",    "/manager/api/runs",                                           admin,    listRuns],
  ["GET",    "/manager/api/runs/summary",                                   admin,    summarizeRuns],
  ["GET",    "/manager/api/runs/export",                                    admin,    exportAllRuns],
  ["GET",    "/manager/api/runs/{run}",                                     signedIn, showRun],
  ["GET",    "/manager/api/runs/{run}/form",                                admin,    showRunForm],
  ["POST",   "/manager/api/runs/{run}/retry",                               signedIn, retryRun],
  ["POST",   "/manager/api/runs/{run}/cancel",                              signedIn, cancelRun],
  ["GET",    "/manager/api/plugins",                                        signedIn, listPlugins],
  ["GET",    "/manager/api/plugins/catalog",                                signedIn, browsePlugins],
  ["POST",   "/manager/api/plugins/install",                                admin,    installPlugin],
  ["GET",    "/manager/api/plugins/{key}",                                  signedIn, showPlugin],
  ["POST",   "/manager/api/plugins/{key}/update",                           admin,    updatePlugin],
  ["POST",   "/manager/api/plugins/{key}/enable",                           admin,    enablePlugin],
  ["POST",   "/manager/api/plugins/{key}/disable",                          admin,    disablePlugin],
  ["DELETE", "/manager/api/plugins/{key}",                                  admin,    removePlugin],
  ["GET",    "/admin/api/users",                                            admin,    listUsers],
  ["POST",   "/admin/api/users",                                            admin,    addUser],
  ["GET",    "/admin/api/users/{user}",                                     admin,    showUser],
  ["PATCH",  "/admin/api/users/{user}",                                     admin,    changeUser],
  ["POST",   "/admin/api/users/{user}/enable",                              admin,    enableUser],
  ["POST",   "/admin/api/users/{user}/disable",                             admin,    disableUser],
  ["POST",   "/admin/api/users/{user}/unlock",                              admin,    unlockUser],
  ["POST",   "/admin/api/users/{user}/one-time-password",                   admin,    setOneTimePassword],
  ["POST",   "/admin/api/users/{user}/sessions/end",                        admin,    endUserSessions],
  ["GET",    "/admin/api/users/{user}/rows",                                admin,    listUserRows],
  ["GET",    "/admin/api/users/{user}/identities",                          admin,    listUserIdentities],
  ["DELETE", "/admin/api/users/{user}/identities/{identity}",               admin,    unlinkIdentity],
  ["GET",    "/admin/api/tags",                                             admin,    listTags],
  ["GET",    "/admin/api/tokens",                                           admin,    listTokens],
  ["POST",   "/admin/api/tokens/{token}/revoke",                            admin,    revokeToken],
  ["GET",    "/admin/api/sessions",                                         admin,    listSessions],
  ["POST",   "/admin/api/sessions/{session}/end",                           admin,    endSession],
  ["GET",    "/admin/api/applications",                                     admin,    listApplications],
  ["POST",   "/admin/api/applications/{application}/revoke",                admin,    revokeApplication],
  ["GET",    "/admin/api/status",                                           admin,    showStatus],
  ["GET",    "/admin/api/doctor",                                           admin,    runChecks],
  ["GET",    "/admin/api/settings",                                         admin,    listSettings],
  ["PUT",    "/admin/api/settings/{setting}",                               admin,    setSetting],
  ["DELETE", "/admin/api/settings/{setting}",                               admin,    resetSetting],
  ["GET",    "/admin/api/changes",                                          admin,    listChanges],
  ["GET",    "/profile/api/me",                                             signedIn, showMe],
  ["GET",    "/profile/api/tokens",                                         signedIn, listOwnTokens],
  ["POST",   "/profile/api/tokens",                                         inBrowser, createOwnToken],
  ["POST",   "/profile/api/tokens/{token}/revoke",                          signedIn, revokeOwnToken],
  ["GET",    "/profile/api/sessions",                                       signedIn, listOwnSessions],
  ["POST",   "/profile/api/sessions/end-others",                            signedIn, endOtherSessions],
  ["POST",   "/profile/api/sessions/{session}/end",                         signedIn, endOwnSession],
  ["GET",    "/profile/api/identities",                                     signedIn, listOwnIdentities],
  ["GET",    "/profile/api/applications",                                   signedIn, listOwnApplications],
  ["POST",   "/profile/api/applications/{application}/revoke",              signedIn, revokeOwnApplication],
  ["GET",    "/profile/api/runs",                                           signedIn, listOwnRuns],
];

/** Every route of the API with its guard. */
export const apiRoutes: readonly ApiRoute[] = lines.map(([method, path, guard, endpoint]) => ({
  method,
  path,
  guard,
  endpoint,
}));
