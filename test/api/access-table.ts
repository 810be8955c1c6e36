import { listGroupLines } from "@hub/server/store/users/group-lines-table.ts";
import type { ApiHub } from "./open-api-hub.ts";

/** The roles of the table. Anonymous, pending and disabled users get 401 from every route. */
export const roles = ["outsider", "insider", "owner", "admin"] as const;
export type Role = (typeof roles)[number];

/** The variable parts of a request: path parameters, query, body. */
export type RequestParts = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
};

export const tokenKinds = [
  "scope mcp",
  "scope manage",
  "of an application",
  "bound token",
  "service user",
] as const;
export type TokenKind = (typeof tokenKinds)[number];
/** The status for each kind of token; `as a browser` means the status of the user's browser. */
type ByToken = Record<TokenKind, number | "as a browser">;

export type AccessRow = {
  /** Creates a new target of the request for each role, because some requests delete it. */
  toRequest(fixture: AccessFixture): Promise<RequestParts> | RequestParts;
  /** The status that a browser gets. */
  expected: Record<Role, number>;
  byToken: ByToken;
};

/** Insider, owner and admin have the tag `red`, so they see the row. */
export type AccessFixture = {
  hub: ApiHub;
  /** Adds a row tagged `red`, a new one for each request. */
  addRow(): Promise<{ id: string; version: number }>;
  /** Adds a channel tagged `red`. Returns its slug. */
  addChannel(): Promise<string>;
  /** Adds a finished run of the owner on a new row. */
  addRun(): Promise<string>;
  /** Adds a second token for the owner. */
  addToken(): Promise<string>;
  /** Adds a browser session for the owner. */
  addSession(): Promise<string>;
  /** Links a chat account to the user, by default to the owner. */
  addChatAccount(userId?: string): Promise<string>;
  /** A queued run of a workflow of the owner. */
  addWorkflowRun(): Promise<{ workflow: string; run: string }>;
  /**
   * Adds a published workflow of the owner, tagged `red`, with a secret `KEY` and a newer draft, unless it is plain. With
   * `isOffered`, it is offered to another user.
   */
  addWorkflow(options?: {
    isOffered?: boolean;
    isPlain?: boolean;
  }): Promise<{ id: string; revision: number }>;
  /** A pending approval of such a workflow, whose approvers are users with the tag `red`. */
  addApproval(): Promise<string>;
  /** A call that waits for the decision of users with the tag `red`. */
  addPendingCall(): Promise<string>;
  /** A permission for an hour for calls of the owner. */
  addPermit(): Promise<string>;
  /** A run of such a workflow that waits for its time. */
  addScheduledRun(): Promise<{ workflow: string; run: string }>;
  /** Adds a SCIM client. Returns its id. */
  addScimClient(): Promise<string>;
  /** Adds an application with the owner's consent. */
  addApplication(): Promise<string>;
};

const apiDocument = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: { "/pets": { get: { operationId: "listPets" } } },
});

const secretSource = {
  name: "Vault",
  settings: { kind: "vault", address: "https://vault.example.com", auth: "token" },
  credentials: { token: "a-token" },
  prefixes: ["apps"],
};

const everyone = { outsider: 200, insider: 200, owner: 200, admin: 200 };
const adminsOnly = { outsider: 403, insider: 403, owner: 403, admin: 200 };
const adminsCreate = { ...adminsOnly, admin: 201 };
/** Of a row whose tests are for admins. */
const testers = { outsider: 404, insider: 403, owner: 403, admin: 200 };
const rowViewers = { outsider: 404, insider: 200, owner: 200, admin: 200 };
/** The run has succeeded, so there is nothing to resume. */
const withoutResume = { outsider: 404, insider: 403, owner: 409, admin: 409 };

/** Tokens of clients and of applications can only call tools. */
const manageScopeOnly: ByToken = {
  "scope mcp": 403,
  "scope manage": "as a browser",
  "of an application": 403,
  "bound token": 403,
  "service user": 403,
};
/** Only signed-in users create tokens and passwords: a stolen token must not create further credentials. */
const browserOnly: ByToken = { ...manageScopeOnly, "scope manage": 403 };

const addRowParams = async (fixture: AccessFixture, more: Record<string, string> = {}) => {
  const { id, version } = await fixture.addRow();
  return { params: { row: id, ...more }, version };
};
const onRow =
  (more: Record<string, string> = {}, body?: unknown) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: (await addRowParams(fixture, more)).params,
    ...(body !== undefined && { body }),
  });
const onVersion =
  (more: Record<string, string> = {}, change: Record<string, unknown> = {}) =>
  async (fixture: AccessFixture): Promise<RequestParts> => {
    const { params, version } = await addRowParams(fixture, more);
    return { params, body: { version, ...change } };
  };

const onChannel =
  (query: Record<string, string> = {}) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: { channel: await fixture.addChannel() },
    query,
  });

const onAbsentPlugin = (): RequestParts => ({ params: { key: "absent" } });
const adminsNotFound = { ...adminsOnly, admin: 404 };
const onUser =
  (body?: unknown) =>
  async ({ hub }: AccessFixture): Promise<RequestParts> => {
    const { id } = await hub.admin.users.add({ email: `${crypto.randomUUID()}@example.com` });
    return { params: { user: id }, ...(body !== undefined && { body }) };
  };
const onOwnersToken = async (fixture: AccessFixture): Promise<RequestParts> => ({
  params: { token: await fixture.addToken() },
});
const onOwnersSession = async (fixture: AccessFixture): Promise<RequestParts> => ({
  params: { session: await fixture.addSession() },
});
const onOwnersApplication = async (fixture: AccessFixture): Promise<RequestParts> => ({
  params: { application: await fixture.addApplication() },
});
const ownerOnly = { outsider: 404, insider: 404, owner: 200, admin: 404 };
const everyoneNotFound = { outsider: 404, insider: 404, owner: 404, admin: 404 };
const onOwnersChatAccount = async (fixture: AccessFixture): Promise<RequestParts> => ({
  params: { account: await fixture.addChatAccount() },
});
const onUsersChatAccount = async (fixture: AccessFixture): Promise<RequestParts> => {
  const { id } = await fixture.hub.admin.users.add({ email: `${crypto.randomUUID()}@example.com` });
  return { params: { user: id, account: await fixture.addChatAccount(id) } };
};
const onRun = async (fixture: AccessFixture): Promise<RequestParts> => ({
  params: { run: await fixture.addRun() },
});

/** Who sees a workflow but does not manage it is refused; for others, it does not exist. */
const workflowManagers = { outsider: 404, insider: 403, owner: 200, admin: 200 };
/** There is no pin, which only those who manage the workflow are told. */
const managersNotFound = { ...workflowManagers, owner: 404, admin: 404 };
const everyoneCreates = { outsider: 201, insider: 201, owner: 201, admin: 201 };
const onWorkflow =
  (more: Record<string, string> = {}, body?: Record<string, unknown>) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: { workflow: (await fixture.addWorkflow({ isPlain: !("secret" in more) })).id, ...more },
    ...(body !== undefined && { body }),
  });
const onWorkflowRun =
  (body?: Record<string, unknown>) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: await fixture.addWorkflowRun(),
    ...(body !== undefined && { body }),
  });
const onDraft =
  (more: Record<string, string> = {}, body: Record<string, unknown> = {}) =>
  async (fixture: AccessFixture): Promise<RequestParts> => {
    const { id, revision } = await fixture.addWorkflow();
    return { params: { workflow: id, ...more }, body: { revision, ...body } };
  };
const onScheduledRun =
  (body?: Record<string, unknown>) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: await fixture.addScheduledRun(),
    ...(body !== undefined && { body }),
  });
const onApproval =
  (body?: unknown) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: { approval: await fixture.addApproval() },
    ...(body !== undefined && { body }),
  });
const onPendingCall =
  (body?: unknown) =>
  async (fixture: AccessFixture): Promise<RequestParts> => ({
    params: { call: await fixture.addPendingCall() },
    ...(body !== undefined && { body }),
  });
const workflowRoute = (
  toRequest: AccessRow["toRequest"],
  expected: AccessRow["expected"] = workflowManagers,
): AccessRow => ({ toRequest, expected, byToken: manageScopeOnly });

/**
 * Every route of the API, with the status for each role. The test fails for a route without an entry, so a
 * new route needs a decision about its callers.
 */
export const accessTable: Record<string, AccessRow> = {
  "GET /manager/api/connectors": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/connectors/{key}": {
    toRequest: async (fixture) => {
      await fixture.addRow();
      return { params: { key: "fixture" } };
    },
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/connectors/{key}/type-disable": {
    toRequest: () => ({ params: { key: "http" } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/connectors/{key}/type-enable": {
    toRequest: () => ({ params: { key: "http" } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows": { toRequest: () => ({}), expected: everyone, byToken: manageScopeOnly },
  "POST /manager/api/rows": {
    toRequest: () => ({ body: { connector: "fixture", label: "New" } }),
    expected: adminsCreate,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/bulk": {
    toRequest: () => ({ body: { rows: [crypto.randomUUID()], do: "enable" } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/sample": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/imports/plan": {
    toRequest: () => ({ body: { text: '{"mcpServers":{}}' } }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "POST /manager/api/imports": {
    toRequest: () => ({ body: { text: '{"mcpServers":{}}', servers: [0] } }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "POST /manager/api/connections/plan": {
    toRequest: () => ({ body: { document: apiDocument } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  // No document has this digest.
  "POST /manager/api/connections": {
    toRequest: () => ({
      body: {
        document: apiDocument,
        digest: "0",
        label: "New",
        servers: ["http://127.0.0.1:9/"],
      },
    }),
    expected: { ...adminsOnly, admin: 409 },
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/access": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/access/preview": {
    toRequest: async (fixture) => ({
      ...(await addRowParams(fixture)),
      query: { tags: "red,everyone" },
    }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "PUT /manager/api/rows/{row}/access": {
    toRequest: onVersion({}, { tags: ["red", "green"] }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rules": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/rules": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "PUT /manager/api/rows/{row}/rules": {
    toRequest: onRow({}, { asks: "destructive" }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "DELETE /manager/api/rows/{row}/rules/{rule}": {
    toRequest: onRow({ rule: crypto.randomUUID() }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /manager/api/runs/{run}/rules": {
    toRequest: async (fixture) => ({ params: { run: await fixture.addRun() } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/secret-references": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "PUT /manager/api/rows/{row}/secrets/{field}/reference": {
    toRequest: onRow({ field: "token" }, { reference: "absent" }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /admin/api/secret-sources": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/secret-sources": {
    toRequest: () => ({ body: { ...secretSource, name: crypto.randomUUID() } }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "PUT /admin/api/secret-sources/{source}": {
    toRequest: () => ({ params: { source: crypto.randomUUID() }, body: secretSource }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "DELETE /admin/api/secret-sources/{source}": {
    toRequest: () => ({ params: { source: crypto.randomUUID() } }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /admin/api/secret-references": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/secret-destinations": {
    toRequest: async (fixture) => ({ query: { ids: (await fixture.addRow()).id } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/secret-references": {
    toRequest: () => ({ body: { name: "Key", source: "absent", path: "apps/key" } }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "PUT /admin/api/secret-references/{reference}": {
    toRequest: () => ({
      params: { reference: crypto.randomUUID() },
      body: { name: "Key", source: "absent", path: "apps/key" },
    }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "DELETE /admin/api/secret-references/{reference}": {
    toRequest: () => ({ params: { reference: crypto.randomUUID() } }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "POST /admin/api/secret-references/{reference}/refresh": {
    toRequest: () => ({ params: { reference: crypto.randomUUID() } }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /admin/api/secret-references/{reference}/reads": {
    toRequest: () => ({ params: { reference: crypto.randomUUID() } }),
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "PATCH /manager/api/rows/{row}/settings": {
    toRequest: onVersion({}, { values: { mode: "signed" } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/review/lines": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/review/hide": {
    toRequest: onRow({}, { operations: [], hidden: true }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}": {
    toRequest: onRow(),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "PATCH /manager/api/rows/{row}": {
    toRequest: onVersion({}, { label: "Other" }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "DELETE /manager/api/rows/{row}": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/enable": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/disable": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/duplicate": {
    toRequest: onRow({}, {}),
    expected: adminsCreate,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/channels": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/channel": {
    toRequest: onRow(),
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/channel/workflows": {
    toRequest: onRow(),
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "PUT /manager/api/rows/{row}/slug": {
    toRequest: onRow({}, { slug: "other" }),
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/settings": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  // The fixture's rows have no secret in plain text.
  "POST /manager/api/rows/{row}/seal-secrets": {
    toRequest: onVersion(),
    expected: { ...adminsOnly, admin: 400 },
    byToken: manageScopeOnly,
  },
  "PUT /manager/api/rows/{row}/fields/{field}": {
    toRequest: onVersion({ field: "mode" }, { value: "signed" }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/fields/{field}/generate": {
    toRequest: onVersion({ field: "signing_key" }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/fields/{field}/widget": {
    toRequest: onRow({ field: "place" }, { op: "__select", arg: "7" }),
    expected: testers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/lookup": {
    toRequest: async (fixture) => ({
      ...(await addRowParams(fixture)),
      query: { source: "members", q: "ad" },
    }),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "GET /channels/{channel}/lookup": {
    toRequest: onChannel({ source: "members", q: "ad" }),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/connection": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  // The fixture's rows need no connection.
  "POST /manager/api/rows/{row}/connect": {
    toRequest: onRow(),
    expected: { ...adminsOnly, admin: 400 },
    byToken: browserOnly,
  },
  "POST /manager/api/rows/{row}/disconnect": {
    toRequest: onRow(),
    expected: { ...adminsOnly, admin: 400 },
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/health": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  // The fixture's rows bring no operations of their own.
  "POST /manager/api/rows/{row}/discover": {
    toRequest: onRow({}, {}),
    expected: { ...adminsOnly, admin: 400 },
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/servers": {
    toRequest: onRow({}, {}),
    expected: { ...adminsOnly, admin: 400 },
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/left-out": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/review": {
    toRequest: onRow(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/approve": {
    toRequest: onRow({}, { operations: [] }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/reads": {
    toRequest: onRow({}, { reads: true }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/operations": {
    toRequest: onRow(),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/operations/{operation}": {
    toRequest: onRow({ operation: "greet" }),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/operations/{operation}/enable": {
    toRequest: onRow({ operation: "greet" }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/operations/{operation}/disable": {
    toRequest: onRow({ operation: "greet" }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/operations/{operation}/test": {
    toRequest: onRow({ operation: "greet" }, { params: { name: "Ada" } }),
    expected: testers,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget": {
    toRequest: onRow({ operation: "ship", input: "place" }, {}),
    expected: testers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/runs": {
    toRequest: onRow(),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/rows/{row}/runs/export": {
    toRequest: onRow(),
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/operations": {
    toRequest: () => ({ query: { q: "a" } }),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/operations/as-a-client": {
    toRequest: () => ({ query: { q: "a" } }),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/operations/calls": {
    // Each call has its own refusal.
    toRequest: () => ({ body: { calls: [{ tool_id: "conn:x/y" }] } }),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/operations/{row}/{operation}/call": {
    toRequest: onRow({ operation: "greet" }, { params: { name: "Ada" } }),
    expected: testers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/attention": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/overview": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/search": {
    toRequest: () => ({ query: { q: "a" } }),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/summary": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/counts": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/figures": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/errors": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/export": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/{run}": {
    toRequest: onRun,
    expected: rowViewers,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/runs/{run}/form": {
    toRequest: onRun,
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/runs/{run}/retry": {
    toRequest: onRun,
    expected: { outsider: 404, insider: 403, owner: 200, admin: 403 },
    byToken: manageScopeOnly,
  },
  "POST /manager/api/runs/{run}/cancel": {
    toRequest: onRun,
    // The run has ended. Callers who may cancel it get 409.
    expected: { outsider: 404, insider: 403, owner: 409, admin: 409 },
    byToken: manageScopeOnly,
  },
  "GET /manager/api/plugins": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/plugins/catalog": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/plugins/install": {
    toRequest: () => ({ body: { source: "absent" } }),
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/plugins/upload": {
    // There is no file in the body.
    toRequest: () => ({}),
    expected: { ...adminsOnly, admin: 415 },
    byToken: manageScopeOnly,
  },
  "GET /manager/api/plugins/{key}": {
    toRequest: onAbsentPlugin,
    expected: { outsider: 404, insider: 404, owner: 404, admin: 404 },
    byToken: manageScopeOnly,
  },
  "POST /manager/api/plugins/{key}/update": {
    toRequest: onAbsentPlugin,
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/plugins/{key}/enable": {
    toRequest: onAbsentPlugin,
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/plugins/{key}/disable": {
    toRequest: onAbsentPlugin,
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "DELETE /manager/api/plugins/{key}": {
    toRequest: onAbsentPlugin,
    expected: adminsNotFound,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/groups": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "PUT /admin/api/groups": {
    toRequest: async ({ hub }) => {
      const { revision } = await listGroupLines(hub.store.db);
      return { body: { revision, lines: [{ pattern: "eng", tags: ["red"] }] } };
    },
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "GET /admin/api/users/{user}/groups": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/users": { toRequest: () => ({}), expected: adminsOnly, byToken: manageScopeOnly },
  "POST /admin/api/users": {
    toRequest: () => ({ body: { email: `${crypto.randomUUID()}@example.com` } }),
    expected: adminsCreate,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/service-users": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/service-users": {
    toRequest: () => ({ body: { name: `bot-${crypto.randomUUID()}` } }),
    expected: adminsCreate,
    byToken: browserOnly,
  },
  "PATCH /admin/api/service-users/{user}": {
    toRequest: onUser({ tags: ["red"] }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "POST /admin/api/service-users/{user}/tokens": {
    toRequest: onUser({ name: "ci" }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /admin/api/machine-clients": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/machine-clients": {
    toRequest: () => ({ body: { name: "CI" } }),
    expected: adminsCreate,
    byToken: browserOnly,
  },
  "DELETE /admin/api/machine-clients/{client}": {
    toRequest: () => ({ params: { client: crypto.randomUUID() } }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /admin/api/trusted-issuers": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/trusted-issuers": {
    toRequest: () => ({
      body: { name: "Company", issuer: "https://id.example.com", kind: "id_jag" },
    }),
    expected: adminsCreate,
    byToken: browserOnly,
  },
  "DELETE /admin/api/trusted-issuers/{issuer}": {
    toRequest: () => ({ params: { issuer: crypto.randomUUID() } }),
    expected: adminsNotFound,
    byToken: browserOnly,
  },
  "GET /admin/api/users/{user}": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "PATCH /admin/api/users/{user}": {
    toRequest: onUser({ name: "Other" }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/users/{user}/enable": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/users/{user}/disable": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/users/{user}/unlock": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/users/{user}/one-time-password": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "POST /admin/api/users/{user}/sessions/end": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/users/{user}/rows": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/users/{user}/tag-preview": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/users/{user}/identities": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "DELETE /admin/api/users/{user}/identities/{identity}": {
    toRequest: async (fixture) => {
      const { params } = await onUser()(fixture);
      const user = params?.user ?? "";
      return { params: { user, identity: await fixture.hub.addIdentity(user) } };
    },
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/users/{user}/factors": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "DELETE /admin/api/users/{user}/factors": {
    toRequest: onUser(),
    expected: { ...adminsOnly, admin: 404 },
    byToken: browserOnly,
  },
  "GET /admin/api/users/{user}/chat-accounts": {
    toRequest: onUser(),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "DELETE /admin/api/users/{user}/chat-accounts/{account}": {
    toRequest: onUsersChatAccount,
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/refused-sign-ins": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/tags": { toRequest: () => ({}), expected: adminsOnly, byToken: manageScopeOnly },
  "GET /admin/api/scim-clients": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/scim-clients": {
    toRequest: () => ({ body: { name: crypto.randomUUID() } }),
    expected: adminsCreate,
    byToken: browserOnly,
  },
  "POST /admin/api/scim-clients/{client}/rotate": {
    toRequest: async (fixture) => ({ params: { client: await fixture.addScimClient() }, body: {} }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "DELETE /admin/api/scim-clients/{client}": {
    toRequest: async (fixture) => ({ params: { client: await fixture.addScimClient() } }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "PUT /admin/api/users/{user}/scim-client": {
    toRequest: async (fixture) => ({
      ...(await onUser()(fixture)),
      body: { client: await fixture.addScimClient() },
    }),
    expected: adminsOnly,
    byToken: browserOnly,
  },
  "DELETE /admin/api/users/{user}/scim-client": {
    // The user belongs to no client, which only admins are told.
    toRequest: onUser(),
    expected: { ...adminsOnly, admin: 409 },
    byToken: browserOnly,
  },
  "GET /admin/api/tokens": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/tokens/{token}/revoke": {
    toRequest: onOwnersToken,
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/sessions": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/sessions/{session}/end": {
    toRequest: onOwnersSession,
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/applications": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "POST /admin/api/applications/{application}/revoke": {
    toRequest: onOwnersApplication,
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/status": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/doctor": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/settings": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "PUT /admin/api/settings/{setting}": {
    toRequest: () => ({ params: { setting: "HUB_AUDIT_RETENTION_DAYS" }, body: { value: 30 } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "DELETE /admin/api/settings/{setting}": {
    toRequest: () => ({ params: { setting: "HUB_AUDIT_RETENTION_DAYS" } }),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /admin/api/changes": {
    toRequest: () => ({}),
    expected: adminsOnly,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/me": { toRequest: () => ({}), expected: everyone, byToken: manageScopeOnly },
  "GET /profile/api/setup": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/tokens": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /profile/api/tokens": {
    toRequest: () => ({ body: { name: "laptop" } }),
    expected: { outsider: 201, insider: 201, owner: 201, admin: 201 },
    byToken: browserOnly,
  },
  "POST /profile/api/tokens/{token}/rotate": {
    toRequest: async (fixture) => ({ ...(await onOwnersToken(fixture)), body: {} }),
    expected: { ...ownerOnly, owner: 201 },
    byToken: browserOnly,
  },
  "POST /profile/api/tokens/{token}/revoke": {
    toRequest: onOwnersToken,
    expected: ownerOnly,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/sessions": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /profile/api/sessions/end-others": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /profile/api/sessions/{session}/end": {
    toRequest: onOwnersSession,
    expected: ownerOnly,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/accounts": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /manager/api/accounts": {
    // The row has no accounts of its users.
    async toRequest(fixture) {
      const { id } = await fixture.addRow();
      return { body: { row: id, values: {}, hosts: [] } };
    },
    expected: { outsider: 404, insider: 409, owner: 409, admin: 409 },
    byToken: browserOnly,
  },
  "POST /manager/api/accounts/sign-in": {
    // The row has no accounts of its users.
    async toRequest(fixture) {
      const { id } = await fixture.addRow();
      return { body: { row: id, hosts: [] } };
    },
    expected: { outsider: 404, insider: 409, owner: 409, admin: 409 },
    byToken: browserOnly,
  },
  "PATCH /manager/api/accounts/{account}": {
    toRequest: () => ({ params: { account: crypto.randomUUID() }, body: { label: "work" } }),
    expected: everyoneNotFound,
    byToken: browserOnly,
  },
  "DELETE /manager/api/accounts/{account}": {
    toRequest: () => ({ params: { account: crypto.randomUUID() } }),
    expected: everyoneNotFound,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/identities": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/factors": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "DELETE /profile/api/factors/{factor}": {
    toRequest: () => ({ params: { factor: crypto.randomUUID() } }),
    expected: everyoneNotFound,
    byToken: browserOnly,
  },
  "GET /profile/api/chat-accounts": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: browserOnly,
  },
  "POST /profile/api/chat-accounts/links": {
    toRequest: () => ({}),
    expected: everyoneCreates,
    byToken: browserOnly,
  },
  "POST /profile/api/chat-accounts/links/{link}/confirm": {
    toRequest: () => ({ params: { link: crypto.randomUUID() } }),
    expected: everyoneNotFound,
    byToken: browserOnly,
  },
  "DELETE /profile/api/chat-accounts/links/{link}": {
    toRequest: () => ({ params: { link: crypto.randomUUID() } }),
    expected: everyoneNotFound,
    byToken: browserOnly,
  },
  "DELETE /profile/api/chat-accounts/{account}": {
    toRequest: onOwnersChatAccount,
    expected: ownerOnly,
    byToken: browserOnly,
  },
  "GET /profile/api/applications": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "POST /profile/api/applications/{application}/revoke": {
    toRequest: onOwnersApplication,
    expected: ownerOnly,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/runs": { toRequest: () => ({}), expected: everyone, byToken: manageScopeOnly },
  "GET /profile/api/runs/export": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/runs/figures": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/runs/errors": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /profile/api/runs/counts": {
    toRequest: () => ({}),
    expected: everyone,
    byToken: manageScopeOnly,
  },
  "GET /manager/api/workflows": workflowRoute(() => ({}), everyone),
  "POST /manager/api/workflows": workflowRoute(() => ({ body: { name: "New" } }), everyoneCreates),
  "GET /manager/api/workflow-examples": workflowRoute(() => ({}), everyone),
  "GET /manager/api/workflow-schedule": workflowRoute(
    () => ({ query: { schedule: "0 0 9 * * *" } }),
    everyone,
  ),
  "POST /manager/api/workflows/import": workflowRoute(
    () => ({ body: { name: "New", body: {} } }),
    everyoneCreates,
  ),
  "POST /manager/api/workflows/validate": workflowRoute(() => ({ body: { body: {} } }), everyone),
  "GET /manager/api/workflows/{workflow}": workflowRoute(onWorkflow(), rowViewers),
  "PATCH /manager/api/workflows/{workflow}": workflowRoute(onWorkflow({}, { name: "Other" })),
  "DELETE /manager/api/workflows/{workflow}": workflowRoute(onWorkflow()),
  "POST /manager/api/workflows/{workflow}/enable": workflowRoute(onWorkflow()),
  "POST /manager/api/workflows/{workflow}/disable": workflowRoute(onWorkflow()),
  "PUT /manager/api/workflows/{workflow}/draft": workflowRoute(onDraft({}, { body: {} })),
  "POST /manager/api/workflows/{workflow}/validate": workflowRoute(onWorkflow({}, {})),
  "POST /manager/api/workflows/{workflow}/publish": workflowRoute(onDraft()),
  "POST /manager/api/workflows/{workflow}/preview": workflowRoute(
    onWorkflow({}, { template: "a" }),
  ),
  "GET /manager/api/workflows/{workflow}/versions": workflowRoute(onWorkflow()),
  "GET /manager/api/workflows/{workflow}/versions/{version}": workflowRoute(
    onWorkflow({ version: "1" }),
  ),
  "POST /manager/api/workflows/{workflow}/versions/{version}/restore": workflowRoute(
    onDraft({ version: "1" }),
  ),
  "GET /manager/api/workflows/{workflow}/diff": workflowRoute(onWorkflow()),
  "GET /manager/api/workflows/{workflow}/explanation": workflowRoute(onWorkflow()),
  "GET /manager/api/workflows/{workflow}/export": workflowRoute(onWorkflow()),
  "GET /manager/api/workflows/{workflow}/opened": workflowRoute(onWorkflow()),
  "PUT /manager/api/workflows/{workflow}/tags": workflowRoute(onWorkflow({}, { tags: ["red"] })),
  "GET /manager/api/workflows/{workflow}/secrets": workflowRoute(onWorkflow()),
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}": workflowRoute(
    onWorkflow({ secret: "KEY" }, { value: "s3cret" }),
  ),
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}/reference": {
    ...workflowRoute(onWorkflow({ secret: "KEY" }, { reference: "absent" }), managersNotFound),
    byToken: browserOnly,
  },
  "DELETE /manager/api/workflows/{workflow}/secrets/{secret}": workflowRoute(
    onWorkflow({ secret: "KEY" }),
  ),
  "GET /manager/api/workflows/{workflow}/pins": workflowRoute(onWorkflow()),
  "PUT /manager/api/workflows/{workflow}/pins/{node}": workflowRoute(
    onWorkflow({ node: "absent" }, { node: "other" }),
    managersNotFound,
  ),
  "DELETE /manager/api/workflows/{workflow}/pins/{node}": workflowRoute(
    onWorkflow({ node: "absent" }),
    managersNotFound,
  ),
  "GET /manager/api/workflows/{workflow}/ticks": workflowRoute(onWorkflow()),
  "GET /manager/api/workflows/{workflow}/scheduled": workflowRoute(onWorkflow()),
  "PATCH /manager/api/workflows/{workflow}/scheduled/{run}": workflowRoute(
    onScheduledRun({ scheduled_at: "2100-01-01T00:00:00Z" }),
  ),
  "DELETE /manager/api/workflows/{workflow}/scheduled/{run}": workflowRoute(onScheduledRun()),
  "GET /manager/api/workflows/{workflow}/webhooks": workflowRoute(onWorkflow()),
  "GET /manager/api/workflows/{workflow}/deliveries": workflowRoute(onWorkflow()),
  "POST /manager/api/workflows/{workflow}/offer": workflowRoute(
    onWorkflow({}, { owner: "outsider@example.com" }),
  ),
  "DELETE /manager/api/workflows/{workflow}/offer": workflowRoute(async (fixture) => ({
    params: { workflow: (await fixture.addWorkflow({ isOffered: true, isPlain: true })).id },
  })),
  "POST /manager/api/workflows/{workflow}/accept": workflowRoute(
    async (fixture) => ({
      params: { workflow: (await fixture.addWorkflow({ isOffered: true, isPlain: true })).id },
      body: { updated_at: "2026-11-20T09:42:00Z" },
    }),
    // It is offered to another user.
    { outsider: 404, insider: 403, owner: 409, admin: 409 },
  ),
  "GET /manager/api/workflows/{workflow}/manual": workflowRoute(onWorkflow(), rowViewers),
  "POST /manager/api/workflows/{workflow}/runs": workflowRoute(onWorkflow({}, {}), rowViewers),
  "GET /manager/api/workflows/{workflow}/runs": workflowRoute(onWorkflow(), rowViewers),
  "GET /manager/api/workflows/{workflow}/runs/{run}": workflowRoute(onWorkflowRun(), rowViewers),
  "GET /manager/api/workflows/{workflow}/runs/{run}/body": workflowRoute(onWorkflowRun()),
  "GET /manager/api/workflows/{workflow}/runs/{run}/diagnosis": workflowRoute(onWorkflowRun()),
  "GET /manager/api/workflows/{workflow}/runs/{run}/events": workflowRoute(
    onWorkflowRun(),
    rowViewers,
  ),
  "POST /manager/api/workflows/{workflow}/runs/{run}/cancel": workflowRoute(
    onWorkflowRun(),
    rowViewers,
  ),
  "POST /manager/api/workflows/{workflow}/runs/{run}/replay": workflowRoute(onWorkflowRun({})),
  "GET /manager/api/workflows/{workflow}/runs/{run}/resume": workflowRoute(
    onWorkflowRun(),
    withoutResume,
  ),
  "POST /manager/api/workflows/{workflow}/runs/{run}/resume": workflowRoute(
    onWorkflowRun({}),
    withoutResume,
  ),
  "GET /manager/api/approvals": workflowRoute(() => ({}), everyone),
  "GET /manager/api/approvals/{approval}": workflowRoute(onApproval(), rowViewers),
  "POST /manager/api/approvals/{approval}/decide": {
    toRequest: onApproval({ decision: "approved", hash: "h" }),
    // Admins see it, and are no approvers.
    expected: { ...rowViewers, admin: 403 },
    byToken: browserOnly,
  },
  "GET /manager/api/pending-calls": workflowRoute(() => ({}), everyone),
  "GET /manager/api/waiting-decisions": workflowRoute(() => ({}), everyone),
  "GET /manager/api/pending-calls/{call}": workflowRoute(onPendingCall(), rowViewers),
  "POST /manager/api/pending-calls/{call}/decision": {
    // They may decide, and the hash is of something else. Admins see it, and are no approvers.
    toRequest: onPendingCall({ decision: "approved", hash: "h" }),
    expected: { outsider: 404, insider: 409, owner: 409, admin: 403 },
    byToken: browserOnly,
  },
  "PUT /manager/api/pending-calls/{call}/deputy": {
    toRequest: onPendingCall({ deputy: null }),
    expected: { ...rowViewers, admin: 403 },
    byToken: browserOnly,
  },
  "GET /manager/api/permits": workflowRoute(() => ({}), everyone),
  "DELETE /manager/api/permits/{permit}": workflowRoute(
    async (fixture) => ({ params: { permit: await fixture.addPermit() } }),
    { outsider: 404, insider: 404, owner: 200, admin: 200 },
  ),
};
