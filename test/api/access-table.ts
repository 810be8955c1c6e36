import type { ApiHub } from "./open-api-hub.ts";

/** Whom the table asks as. Those who are nobody, pending or disabled get 401 everywhere. */
export const roles = ["outsider", "insider", "owner", "admin"] as const;
export type Role = (typeof roles)[number];

/** What a request is made of: segments of the path, its query, its body. */
export type Ask = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
};

export const tokenKinds = ["scope mcp", "scope manage", "of an application"] as const;
export type TokenKind = (typeof tokenKinds)[number];
/** The status for a token of each kind; `as a browser` is what its user's browser gets. */
type ByToken = Record<TokenKind, number | "as a browser">;

export type AccessRow = {
  /** Makes what the request is about, anew for each asker: some requests take it away. */
  ask(stage: Stage): Promise<Ask> | Ask;
  /** What a browser gets. */
  expected: Record<Role, number>;
  byToken: ByToken;
};

/** The row is seen by who has the tag `red`: insider, owner and admin. */
export type Stage = {
  hub: ApiHub;
  /** A row tagged `red`, of its own for each request. */
  addRow(): Promise<{ id: string; version: number }>;
  /** A finished run on such a row, made by the owner. */
  addRun(): Promise<string>;
  /** A token of the owner's, beside the one that the owner asks with. */
  addToken(): Promise<string>;
  /** A browser in which the owner is signed in. */
  addSession(): Promise<string>;
  /** An application that the owner connected. */
  addApplication(): Promise<string>;
};

const everyone = { outsider: 200, insider: 200, owner: 200, admin: 200 };
const adminsAlone = { outsider: 403, insider: 403, owner: 403, admin: 200 };
const adminsMake = { ...adminsAlone, admin: 201 };
const whoSeesIt = { outsider: 404, insider: 200, owner: 200, admin: 200 };

/** A token of a client, and one of an application, call tools and do nothing else. */
const managing: ByToken = {
  "scope mcp": 403,
  "scope manage": "as a browser",
  "of an application": 403,
};
/** People alone make tokens and passwords: a stolen token is no way to others. */
const noToken: ByToken = { ...managing, "scope manage": 403 };

const byRow = async (stage: Stage, more: Record<string, string> = {}) => {
  const { id, version } = await stage.addRow();
  return { params: { row: id, ...more }, version };
};
const onRow =
  (more: Record<string, string> = {}, body?: unknown) =>
  async (stage: Stage): Promise<Ask> => ({
    params: (await byRow(stage, more)).params,
    ...(body !== undefined && { body }),
  });
const onVersion =
  (more: Record<string, string> = {}, change: Record<string, unknown> = {}) =>
  async (stage: Stage): Promise<Ask> => {
    const { params, version } = await byRow(stage, more);
    return { params, body: { version, ...change } };
  };

const onAbsentPlugin = (): Ask => ({ params: { key: "absent" } });
const adminsMiss = { ...adminsAlone, admin: 404 };
const onUser =
  (body?: unknown) =>
  async ({ hub }: Stage): Promise<Ask> => {
    const { id } = await hub.admin.users.add({ email: `${crypto.randomUUID()}@example.com` });
    return { params: { user: id }, ...(body !== undefined && { body }) };
  };
const onOwnersToken = async (stage: Stage): Promise<Ask> => ({
  params: { token: await stage.addToken() },
});
const onOwnersSession = async (stage: Stage): Promise<Ask> => ({
  params: { session: await stage.addSession() },
});
const onOwnersApplication = async (stage: Stage): Promise<Ask> => ({
  params: { application: await stage.addApplication() },
});
const itsOwner = { outsider: 404, insider: 404, owner: 200, admin: 404 };
const onRun = async (stage: Stage): Promise<Ask> => ({ params: { run: await stage.addRun() } });

/**
 * Every route of the API with what it answers to whom. A route that has no row here fails the test:
 * whoever adds one says who may use it.
 */
export const accessTable: Record<string, AccessRow> = {
  "GET /manager/api/connectors": { ask: () => ({}), expected: everyone, byToken: managing },
  "GET /manager/api/connectors/{key}": {
    ask: async (stage) => {
      await stage.addRow();
      return { params: { key: "fixture" } };
    },
    expected: whoSeesIt,
    byToken: managing,
  },
  "POST /manager/api/connectors/{key}/type-disable": {
    ask: () => ({ params: { key: "http" } }),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /manager/api/connectors/{key}/type-enable": {
    ask: () => ({ params: { key: "http" } }),
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /manager/api/rows": { ask: () => ({}), expected: everyone, byToken: managing },
  "POST /manager/api/rows": {
    ask: () => ({ body: { connector: "fixture", label: "New" } }),
    expected: adminsMake,
    byToken: managing,
  },
  "GET /manager/api/rows/{row}": { ask: onRow(), expected: whoSeesIt, byToken: managing },
  "PATCH /manager/api/rows/{row}": {
    ask: onVersion({}, { label: "Other" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "DELETE /manager/api/rows/{row}": { ask: onRow(), expected: adminsAlone, byToken: managing },
  "POST /manager/api/rows/{row}/enable": { ask: onRow(), expected: adminsAlone, byToken: managing },
  "POST /manager/api/rows/{row}/disable": {
    ask: onRow(),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /manager/api/rows/{row}/duplicate": {
    ask: onRow({}, {}),
    expected: adminsMake,
    byToken: managing,
  },
  "GET /manager/api/rows/{row}/settings": {
    ask: onRow(),
    expected: adminsAlone,
    byToken: managing,
  },
  "PUT /manager/api/rows/{row}/fields/{field}": {
    ask: onVersion({ field: "mode" }, { value: "signed" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /manager/api/rows/{row}/fields/{field}/generate": {
    ask: onVersion({ field: "signing_key" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /manager/api/rows/{row}/fields/{field}/widget": {
    ask: onRow({ field: "place" }, { op: "__select", arg: "7" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /manager/api/rows/{row}/lookup": {
    ask: async (stage) => ({ ...(await byRow(stage)), query: { source: "members", q: "ad" } }),
    expected: whoSeesIt,
    byToken: managing,
  },
  "POST /manager/api/rows/{row}/health": { ask: onRow(), expected: adminsAlone, byToken: managing },
  "POST /manager/api/rows/{row}/operations/{operation}/enable": {
    ask: onRow({ operation: "greet" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /manager/api/rows/{row}/operations/{operation}/disable": {
    ask: onRow({ operation: "greet" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /manager/api/rows/{row}/operations/{operation}/test": {
    ask: onRow({ operation: "greet" }, { params: { name: "Ada" } }),
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /manager/api/rows/{row}/runs": { ask: onRow(), expected: whoSeesIt, byToken: managing },
  "GET /manager/api/rows/{row}/runs/export": {
    ask: onRow(),
    expected: whoSeesIt,
    byToken: managing,
  },
  "GET /manager/api/runs": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "GET /manager/api/runs/summary": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "GET /manager/api/runs/export": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "GET /manager/api/runs/{run}": { ask: onRun, expected: whoSeesIt, byToken: managing },
  "GET /manager/api/runs/{run}/form": { ask: onRun, expected: adminsAlone, byToken: managing },
  "POST /manager/api/runs/{run}/retry": {
    ask: onRun,
    expected: { outsider: 404, insider: 403, owner: 200, admin: 403 },
    byToken: managing,
  },
  "POST /manager/api/runs/{run}/cancel": {
    ask: onRun,
    // It is over already, which who may stop it is told.
    expected: { outsider: 404, insider: 403, owner: 409, admin: 409 },
    byToken: managing,
  },
  "GET /manager/api/plugins": { ask: () => ({}), expected: everyone, byToken: managing },
  "GET /manager/api/plugins/catalog": { ask: () => ({}), expected: everyone, byToken: managing },
  "POST /manager/api/plugins/install": {
    ask: () => ({ body: { source: "absent" } }),
    expected: { ...adminsAlone, admin: 404 },
    byToken: managing,
  },
  "GET /manager/api/plugins/{key}": {
    ask: onAbsentPlugin,
    expected: { outsider: 404, insider: 404, owner: 404, admin: 404 },
    byToken: managing,
  },
  "POST /manager/api/plugins/{key}/update": {
    ask: onAbsentPlugin,
    expected: adminsMiss,
    byToken: managing,
  },
  "POST /manager/api/plugins/{key}/enable": {
    ask: onAbsentPlugin,
    expected: adminsMiss,
    byToken: managing,
  },
  "POST /manager/api/plugins/{key}/disable": {
    ask: onAbsentPlugin,
    expected: adminsMiss,
    byToken: managing,
  },
  "DELETE /manager/api/plugins/{key}": {
    ask: onAbsentPlugin,
    expected: adminsMiss,
    byToken: managing,
  },
  "GET /admin/api/users": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "POST /admin/api/users": {
    ask: () => ({ body: { email: `${crypto.randomUUID()}@example.com` } }),
    expected: adminsMake,
    byToken: managing,
  },
  "GET /admin/api/users/{user}": { ask: onUser(), expected: adminsAlone, byToken: managing },
  "PATCH /admin/api/users/{user}": {
    ask: onUser({ name: "Other" }),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /admin/api/users/{user}/enable": {
    ask: onUser(),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /admin/api/users/{user}/disable": {
    ask: onUser(),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /admin/api/users/{user}/unlock": {
    ask: onUser(),
    expected: adminsAlone,
    byToken: managing,
  },
  "POST /admin/api/users/{user}/one-time-password": {
    ask: onUser(),
    expected: adminsAlone,
    byToken: noToken,
  },
  "POST /admin/api/users/{user}/sessions/end": {
    ask: onUser(),
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /admin/api/users/{user}/identities": {
    ask: onUser(),
    expected: adminsAlone,
    byToken: managing,
  },
  "DELETE /admin/api/users/{user}/identities/{identity}": {
    ask: async (stage) => {
      const { params } = await onUser()(stage);
      const user = params?.user ?? "";
      return { params: { user, identity: await stage.hub.addIdentity(user) } };
    },
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /admin/api/tags": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "GET /admin/api/tokens": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "POST /admin/api/tokens/{token}/revoke": {
    ask: onOwnersToken,
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /admin/api/sessions": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "POST /admin/api/sessions/{session}/end": {
    ask: onOwnersSession,
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /admin/api/applications": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "POST /admin/api/applications/{application}/revoke": {
    ask: onOwnersApplication,
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /admin/api/settings": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "PUT /admin/api/settings/{setting}": {
    ask: () => ({ params: { setting: "HUB_AUDIT_RETENTION_DAYS" }, body: { value: 30 } }),
    expected: adminsAlone,
    byToken: managing,
  },
  "DELETE /admin/api/settings/{setting}": {
    ask: () => ({ params: { setting: "HUB_AUDIT_RETENTION_DAYS" } }),
    expected: adminsAlone,
    byToken: managing,
  },
  "GET /admin/api/changes": { ask: () => ({}), expected: adminsAlone, byToken: managing },
  "GET /profile/api/me": { ask: () => ({}), expected: everyone, byToken: managing },
  "GET /profile/api/tokens": { ask: () => ({}), expected: everyone, byToken: managing },
  "POST /profile/api/tokens": {
    ask: () => ({ body: { name: "laptop" } }),
    expected: { outsider: 201, insider: 201, owner: 201, admin: 201 },
    byToken: noToken,
  },
  "POST /profile/api/tokens/{token}/revoke": {
    ask: onOwnersToken,
    expected: itsOwner,
    byToken: managing,
  },
  "GET /profile/api/sessions": { ask: () => ({}), expected: everyone, byToken: managing },
  "POST /profile/api/sessions/end-others": {
    ask: () => ({}),
    expected: everyone,
    byToken: managing,
  },
  "POST /profile/api/sessions/{session}/end": {
    ask: onOwnersSession,
    expected: itsOwner,
    byToken: managing,
  },
  "GET /profile/api/identities": { ask: () => ({}), expected: everyone, byToken: managing },
  "GET /profile/api/applications": { ask: () => ({}), expected: everyone, byToken: managing },
  "POST /profile/api/applications/{application}/revoke": {
    ask: onOwnersApplication,
    expected: itsOwner,
    byToken: managing,
  },
  "GET /profile/api/runs": { ask: () => ({}), expected: everyone, byToken: managing },
};
