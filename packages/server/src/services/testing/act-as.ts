import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../../identity/local-admin.ts";
import { findUserByEmail } from "../../store/users/users-table.ts";
import * as types from "../connectors/connector-types.ts";
import { examineHub } from "../doctor/examine-hub.ts";
import * as keys from "../keys/manage-keys.ts";
import { listChanges } from "../list-recorded-changes.ts";
import * as settings from "../manage-settings.ts";
import * as plugins from "../plugins/manage-plugins.ts";
import * as rows from "../rows/manage-rows.ts";
import * as operations from "../rows/operations/manage-operations.ts";
import { setRow } from "../rows/set-row.ts";
import * as tests from "../rows/test-row.ts";
import { listStatedRows } from "../rows/views/list-rows.ts";
import * as visibleRows from "../rows/views/visible-rows.ts";
import { useWidget, type WidgetInput } from "../rows/widgets/use-widget.ts";
import { cancelRun } from "../runs/cancel-running.ts";
import * as runs from "../runs/list-recorded-runs.ts";
import * as history from "../runs/own-run-history.ts";
import { type RetryContext, readRunForm, retryRun } from "../runs/retry-run.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { addUser, type NewUserInput } from "../users/add-user.ts";
import * as applications from "../users/manage-applications.ts";
import * as identities from "../users/manage-identities.ts";
import * as sessions from "../users/manage-sessions.ts";
import * as tokens from "../users/manage-tokens.ts";
import * as users from "../users/manage-users.ts";
import * as passwords from "../users/one-time-password.ts";
import { type RotationInput, rotateToken } from "../users/rotate-token.ts";
import { decryptValue } from "../values/decrypt-value.ts";
import { encryptValue } from "../values/encrypt-value.ts";

type TestInput = tests.TestInput & { row: string };

/**
 * The services bound to one actor, which keeps the setup of tests short. A user is named by id or
 * e-mail, and lists return their first page.
 */
export function actAs(deps: ServiceDeps, actor: Actor) {
  const toUserId = async (user: string): Promise<string> =>
    user.includes("@") ? ((await findUserByEmail(deps.store.db, user))?.id ?? "none") : user;
  const toFilter = async ({ user }: { user?: string }) =>
    user === undefined ? {} : { userId: await toUserId(user) };
  const toOwner = async ({ user }: { user?: string }) =>
    user === undefined ? {} : { of: await toUserId(user) };

  return {
    users: {
      add: (input: NewUserInput) => addUser(deps, actor, input),
      list: async () => (await users.listUsers(deps)).items,
      show: async (user: string) => users.showUser(deps, await toUserId(user)),
      set: async (user: string, input: users.UserChangeInput) =>
        users.setUser(deps, actor, await toUserId(user), input),
      enable: async (user: string) => users.enableUser(deps, actor, await toUserId(user)),
      disable: async (user: string) => users.disableUser(deps, actor, await toUserId(user)),
      setOneTimePassword: async (user: string) =>
        passwords.setOneTimePassword(deps, actor, await toUserId(user)),
      unlock: async (user: string) => passwords.unlockUser(deps, actor, await toUserId(user)),
    },
    tokens: {
      create: async ({ user, ...input }: tokens.NewTokenInput & { user: string }) =>
        tokens.createToken(deps, actor, await toUserId(user), input),
      list: async (filter: { user?: string } = {}) =>
        (await tokens.listTokens(deps, await toFilter(filter))).items,
      revoke: async (id: string, owner: { user?: string } = {}) =>
        tokens.revokeToken(deps, actor, id, await toOwner(owner)),
      rotate: async (id: string, { user, ...input }: RotationInput & { user?: string } = {}) =>
        rotateToken(deps, actor, id, { ...input, ...(await toOwner({ ...(user && { user }) })) }),
    },
    applications: {
      list: async (filter: { user?: string } = {}) =>
        applications.listApplications(deps, await toFilter(filter)),
      revoke: async (id: string, owner: { user?: string } = {}) =>
        applications.revokeApplication(deps, actor, id, await toOwner(owner)),
    },
    sessions: {
      list: async (filter: { user?: string } = {}) =>
        sessions.listSessions(deps, await toFilter(filter)),
      end: async (id: string, owner: { user?: string } = {}) =>
        sessions.endSession(deps, actor, id, await toOwner(owner)),
      endAll: async (user: string, options: { except?: string } = {}) =>
        sessions.endAllSessions(deps, actor, await toUserId(user), options),
    },
    identities: {
      list: async (user: string) => identities.listIdentities(deps, await toUserId(user)),
      unlink: async (user: string) =>
        identities.unlinkIdentities(deps, actor, await toUserId(user)),
    },
    rows: {
      add: (input: rows.NewRowInput) => rows.addRow(deps, actor, input),
      list: async () => (await listStatedRows(deps, localAdmin, {})).rows,
      listFor: async (caller: Caller) => (await listStatedRows(deps, caller, {})).rows,
      show: (id: string) => rows.showRow(deps, id),
      showFor: (caller: Caller, id: string) => visibleRows.viewRow(deps, caller, id),
      isVisible: (caller: Caller, id: string) => visibleRows.isRowVisible(deps, caller, id),
      settings: (id: string) => rows.showRowSettings(deps, id),
      set: (id: string, input: Parameters<typeof setRow>[3]) => setRow(deps, actor, id, input),
      enable: (id: string) => rows.enableRow(deps, actor, id),
      disable: (id: string) => rows.disableRow(deps, actor, id),
      duplicate: (id: string, input: { label?: string } = {}) =>
        rows.duplicateRow(deps, actor, id, input),
      delete: (id: string) => rows.deleteRow(deps, actor, id),
      test: (ctx: tests.TestContext, { row, ...input }: TestInput) =>
        tests.testRow(deps, ctx, row, input),
      useWidget: (ctx: tests.TestContext, { row, ...input }: WidgetInput & { row: string }) =>
        useWidget(deps, ctx, actor, row, input),
    },
    operations: {
      enable: (row: string, operation: string) =>
        operations.enableOperation(deps, actor, row, { operation }),
      disable: (row: string, operation: string) =>
        operations.disableOperation(deps, actor, row, { operation }),
    },
    types: {
      enable: (key: string) => types.enableType(deps, actor, key),
      disable: (key: string) => types.disableType(deps, actor, key),
      listFor: async (caller: Caller) => (await types.listVisibleTypes(deps, caller)).connectors,
      showFor: (caller: Caller, key: string) => types.viewType(deps, caller, key),
    },
    runs: {
      list: ({ row, user, ...filter }: ListedRuns = {}) =>
        runs.listRuns(deps, {
          ...filter,
          ...(row !== undefined && { rowId: row }),
          ...(user !== undefined && { userId: user }),
        }),
      show: (id: string) => runs.showRun(deps, id),
      page: (caller: Caller, filter: history.HistoryFilter) =>
        history.listRunHistory(deps, caller, filter),
      ownPage: (caller: Caller, filter: history.HistoryFilter) =>
        history.listOwnRuns(deps, caller, filter),
      showFor: (caller: Caller, id: string) => history.viewRun(deps, caller, id),
      cancel: (caller: Caller, id: string) => cancelRun(deps, caller, id),
      retry: (ctx: RetryContext, id: string) => retryRun(deps, ctx, id),
      readForm: (id: string) => readRunForm(deps, id),
    },
    plugins: {
      install: (source: string, input: plugins.PluginInstallInput) =>
        plugins.installPlugin(deps, actor, source, input),
      show: (key: string) => plugins.showPlugin(deps, key),
      enable: (key: string) => plugins.enablePlugin(deps, actor, key),
      disable: (key: string) => plugins.disablePlugin(deps, actor, key),
      remove: (key: string) => plugins.removePlugin(deps, actor, key),
    },
    keys: {
      list: () => keys.listKeys(deps),
      rotate: () => keys.rotateKeys(deps, actor),
      remove: (id: string) => keys.removeKey(deps, actor, id),
    },
    settings: {
      set: (variable: string, value: string) => settings.setSetting(deps, actor, variable, value),
      reset: (variable: string) => settings.resetSetting(deps, actor, variable),
    },
    changes: {
      list: (filter: Parameters<typeof listChanges>[1] = {}) => listChanges(deps, filter),
    },
    /** For a user, or the local admin. */
    encrypt: async ({ user, text }: { user?: string; text: string }) => {
      const userId = user === undefined ? LOCAL_ADMIN_ID : await toUserId(user);
      return { token: await encryptValue(deps, userId, { text }) };
    },
    decrypt: ({ userId, text }: { userId: string; text: string }) =>
      decryptValue(deps, userId, { text }),
    doctor: (input?: { warnings?: readonly string[] }) => examineHub(deps, input),
  };
}

type ListedRuns = Omit<runs.RunFilterInput, "rowId" | "userId"> & { row?: string; user?: string };
