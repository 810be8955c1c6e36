/**
 * The inputs of scripts/request-cost.ts. Every tool, route, member and form of the hub must have a case here.
 * The script and test/request-cost.test.ts report missing cases.
 */

/** Valid values, which are replaced in turn by expensive ones. `ID` stands for an existing id. */
type Members = Record<string, unknown>;

export type RouteCase = {
  query?: Members;
  body?: Members;
  /** The request deletes its target, so it uses a spare target and is sent after the others. */
  isEnd?: true;
};

export type FormCase = {
  fields: Members;
  isEnd?: true;
  /** It hashes a password, or it is an OAuth endpoint without a CSRF token. */
  kind?: "hashes" | "of a client";
};

export const toolCases: Record<string, Members> = {
  hub_list: { row: "Law", connector: "http", offset: 0, limit: 20 },
  hub_search: { query: "issues", limit: 20, offset: 0 },
  hub_get: { tool_id: "ID", tool_ids: ["ID"] },
  hub_execute: { tool_id: "ID", params: {}, fields: ["body.items.*.title"] },
  hub_info: {},
  hub_encrypt: {},
  hub_decrypt: {},
};

/** Params of the operation that sends all its params to an outside API. */
export const paramCases: Members = { path: "/x", query: {}, headers: {}, body: {} };

/** The names of all path parameters. */
export const pathNames = [
  "row",
  "field",
  "operation",
  "input",
  "run",
  "user",
  "identity",
  "token",
  "session",
  "application",
  "setting",
  "key",
  "workflow",
  "version",
  "secret",
  "channel",
  "account",
  "link",
  "approval",
] as const;
export type PathName = (typeof pathNames)[number];

const none: RouteCase = {};
const end: RouteCase = { isEnd: true };
const runFilters = {
  user: "ID",
  status: "error",
  source: "mcp",
  operation: "get",
  error: "x",
  from: "",
  to: "",
};
const pages = { before: "", limit: 20 };
const list = { after: "", limit: 20 };

const exported = {
  format: "hub-workflow",
  name: "Cost",
  description: "",
  run_by: "tags",
  body: {},
  secrets: [],
};

export const routeCases: Record<string, RouteCase> = {
  "GET /manager/api/connectors": none,
  "GET /manager/api/connectors/{key}": none,
  "POST /manager/api/connectors/{key}/type-disable": end,
  "POST /manager/api/connectors/{key}/type-enable": end,
  "GET /manager/api/rows": { query: { ...list, connector: "http" } },
  "POST /manager/api/rows": {
    body: { connector: "http", label: "Cost", description: "", tags: [], values: {} },
  },
  "POST /manager/api/rows/sample": none,
  "POST /manager/api/imports/plan": { body: { text: "", file: "x" } },
  "POST /manager/api/imports": { body: { text: "", file: "x", servers: [0], tags: [] } },
  "GET /manager/api/rows/{row}": { query: { operations: "none" } },
  "PATCH /manager/api/rows/{row}": {
    body: { version: 1, label: "Cost", description: "", tags: [], values: {} },
  },
  "DELETE /manager/api/rows/{row}": end,
  "POST /manager/api/rows/{row}/enable": none,
  "POST /manager/api/rows/{row}/disable": end,
  "POST /manager/api/rows/{row}/duplicate": { body: { label: "Cost" } },
  "GET /manager/api/channels": none,
  "GET /manager/api/rows/{row}/channel": none,
  "GET /manager/api/rows/{row}/channel/workflows": none,
  "PUT /manager/api/rows/{row}/slug": { body: { slug: "x" } },
  "GET /manager/api/rows/{row}/settings": none,
  "POST /manager/api/rows/{row}/seal-secrets": { body: { version: 1 } },
  "PUT /manager/api/rows/{row}/fields/{field}": { body: { value: "", version: 1 } },
  "POST /manager/api/rows/{row}/fields/{field}/generate": { body: { version: 1 } },
  "POST /manager/api/rows/{row}/fields/{field}/widget": {
    body: { op: "x", arg: "", input: {}, version: 1 },
  },
  "GET /manager/api/rows/{row}/lookup": { query: { source: "x", q: "x" } },
  "GET /manager/api/rows/{row}/connection": none,
  "POST /manager/api/rows/{row}/connect": none,
  "POST /manager/api/rows/{row}/disconnect": none,
  "POST /manager/api/rows/{row}/health": none,
  "POST /manager/api/rows/{row}/discover": { body: { document: "" } },
  "POST /manager/api/rows/{row}/servers": { body: { document: "" } },
  "GET /manager/api/rows/{row}/review": { query: { offset: "0", limit: "1", filter: "new" } },
  "POST /manager/api/rows/{row}/approve": { body: { operations: [{ key: "x", digest: "x" }] } },
  "GET /manager/api/rows/{row}/operations": {
    query: { q: "x", key: "x", callable: "true", limit: "1", after: "0" },
  },
  "GET /manager/api/rows/{row}/operations/{operation}": none,
  "POST /manager/api/rows/{row}/operations/{operation}/enable": none,
  "POST /manager/api/rows/{row}/operations/{operation}/disable": end,
  "POST /manager/api/rows/{row}/operations/{operation}/test": {
    body: { params: { path: "/x" }, retry_of: "ID" },
  },
  "POST /manager/api/rows/{row}/operations/{operation}/inputs/{input}/widget": {
    body: { op: "x", arg: "", input: {}, value: "" },
  },
  "GET /manager/api/rows/{row}/runs": { query: { ...runFilters, ...pages } },
  "GET /manager/api/rows/{row}/runs/export": { query: runFilters },
  "GET /manager/api/search": { query: { q: "x" } },
  "GET /manager/api/runs": { query: { ...runFilters, ...pages, row: "ID", connector: "x" } },
  "GET /manager/api/runs/summary": { query: { from: "", to: "", row: "ID" } },
  "GET /manager/api/runs/counts": { query: { ...runFilters, row: "ID", connector: "x" } },
  "GET /manager/api/runs/export": { query: { ...runFilters, row: "ID", connector: "x" } },
  "GET /manager/api/runs/{run}": none,
  "GET /manager/api/runs/{run}/form": none,
  "POST /manager/api/runs/{run}/retry": none,
  "POST /manager/api/runs/{run}/cancel": none,
  "GET /manager/api/plugins": none,
  "GET /manager/api/plugins/catalog": { query: { q: "x" } },
  "POST /manager/api/plugins/install": {
    body: { source: "./absent", allow_downgrade: false, replace: false },
  },
  "POST /manager/api/plugins/upload": {
    query: { name: "x.zip", allow_downgrade: "false", replace: "false" },
  },
  "GET /manager/api/plugins/{key}": none,
  "DELETE /manager/api/plugins/{key}": { query: { data: "true" } },
  "POST /manager/api/plugins/{key}/update": { body: { replace: false } },
  "POST /manager/api/plugins/{key}/enable": none,
  "POST /manager/api/plugins/{key}/disable": none,
  "GET /manager/api/workflows": {
    query: { ...list, q: "x", tag: "x", owner: "ID", state: "draft" },
  },
  "POST /manager/api/workflows": {
    body: {
      ...{ name: "Cost", description: "", run_by: "tags", body: {}, id: "cost" },
      ...{ example: "x", rows: {}, env: {} },
    },
  },
  "GET /manager/api/workflow-examples": none,
  "GET /manager/api/workflow-schedule": {
    query: { schedule: "*/7 * * 29 2 +1", timezone: "Europe/Berlin" },
  },
  "POST /manager/api/workflows/import": {
    body: { ...exported, id: "cost" },
  },
  "POST /manager/api/workflows/validate": { body: { body: {} } },
  "GET /manager/api/approvals": {
    query: { ...list, state: "pending", workflow: "x", run: "x", mine: "true" },
  },
  "GET /manager/api/approvals/{approval}": none,
  "POST /manager/api/approvals/{approval}/decide": {
    body: { decision: "denied", hash: "x", comment: "" },
  },
  "GET /manager/api/workflows/{workflow}": none,
  "PATCH /manager/api/workflows/{workflow}": {
    body: { name: "Cost", description: "", run_by: "tags" },
  },
  "DELETE /manager/api/workflows/{workflow}": end,
  "POST /manager/api/workflows/{workflow}/enable": none,
  "POST /manager/api/workflows/{workflow}/disable": none,
  "PUT /manager/api/workflows/{workflow}/draft": { body: { revision: 1, body: {} } },
  "POST /manager/api/workflows/{workflow}/validate": { body: { body: {} } },
  "POST /manager/api/workflows/{workflow}/preview": { body: { template: "{{.Event}}", run: "" } },
  "POST /manager/api/workflows/{workflow}/publish": { body: { revision: 1, note: "" } },
  "GET /manager/api/workflows/{workflow}/versions": none,
  "GET /manager/api/workflows/{workflow}/versions/{version}": none,
  "POST /manager/api/workflows/{workflow}/versions/{version}/restore": { body: { revision: 1 } },
  "GET /manager/api/workflows/{workflow}/diff": { query: { from: "draft", to: "draft" } },
  "GET /manager/api/workflows/{workflow}/explanation": { query: { version: "draft" } },
  "GET /manager/api/workflows/{workflow}/export": none,
  "GET /manager/api/workflows/{workflow}/opened": none,
  "PUT /manager/api/workflows/{workflow}/tags": { body: { tags: [] } },
  "GET /manager/api/workflows/{workflow}/secrets": none,
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}": { body: { value: "x" } },
  "DELETE /manager/api/workflows/{workflow}/secrets/{secret}": end,
  "GET /manager/api/workflows/{workflow}/ticks": none,
  "GET /manager/api/workflows/{workflow}/scheduled": { query: list },
  "PATCH /manager/api/workflows/{workflow}/scheduled/{run}": { body: { scheduled_at: "x" } },
  "DELETE /manager/api/workflows/{workflow}/scheduled/{run}": none,
  "GET /manager/api/workflows/{workflow}/webhooks": none,
  "GET /manager/api/workflows/{workflow}/deliveries": {
    query: { ...list, trigger: "hook", outcome: "refused" },
  },
  "POST /manager/api/workflows/{workflow}/offer": { body: { owner: "cost@localhost" } },
  "DELETE /manager/api/workflows/{workflow}/offer": none,
  "POST /manager/api/workflows/{workflow}/accept": { body: { updated_at: "" } },
  "GET /manager/api/workflows/{workflow}/manual": { query: { body: "draft" } },
  "POST /manager/api/workflows/{workflow}/runs": {
    body: {
      ...{ payload: {}, draft: true, trigger_id: "x", wait_s: 0 },
      ...{ dry_run: true, only_node: "x", pins: { x: {} }, pins_from: "x" },
    },
  },
  "GET /manager/api/workflows/{workflow}/runs": {
    query: {
      ...list,
      state: "failed",
      trigger: "x",
      from: "2026-01-01T00:00:00Z",
      to: "2026-01-02T00:00:00Z",
    },
  },
  "GET /manager/api/workflows/{workflow}/runs/{run}": none,
  "GET /manager/api/workflows/{workflow}/runs/{run}/body": none,
  "GET /manager/api/workflows/{workflow}/runs/{run}/diagnosis": none,
  "GET /manager/api/workflows/{workflow}/runs/{run}/events": none,
  "POST /manager/api/workflows/{workflow}/runs/{run}/cancel": none,
  "POST /manager/api/workflows/{workflow}/runs/{run}/replay": {
    body: { draft: true, dry_run: true },
  },
  "GET /manager/api/workflows/{workflow}/runs/{run}/resume": { query: { body: "draft" } },
  "POST /manager/api/workflows/{workflow}/runs/{run}/resume": {
    body: {
      body: "draft",
      decisions: [{ node_id: "x", item: 0, decision: "succeeded", output: {} }],
    },
  },
  "GET /admin/api/users": { query: list },
  "POST /admin/api/users": { body: { email: "cost@localhost", name: "", role: "user", tags: [] } },
  "GET /admin/api/users/{user}": none,
  "PATCH /admin/api/users/{user}": {
    body: { name: "", role: "user", tags: [], add_tags: [], remove_tags: [] },
  },
  "POST /admin/api/users/{user}/enable": none,
  "POST /admin/api/users/{user}/disable": end,
  "POST /admin/api/users/{user}/unlock": none,
  "POST /admin/api/users/{user}/one-time-password": end,
  "POST /admin/api/users/{user}/sessions/end": end,
  "GET /admin/api/users/{user}/rows": { query: list },
  "GET /admin/api/users/{user}/identities": none,
  "DELETE /admin/api/users/{user}/identities/{identity}": none,
  "GET /channels/{channel}/lookup": { query: { source: "people", q: "a" } },
  "GET /admin/api/users/{user}/chat-accounts": none,
  "DELETE /admin/api/users/{user}/chat-accounts/{account}": end,
  "GET /admin/api/refused-sign-ins": none,
  "GET /admin/api/tags": none,
  "GET /admin/api/tokens": { query: { ...list, user: "ID" } },
  "POST /admin/api/tokens/{token}/revoke": end,
  "GET /admin/api/sessions": { query: { user: "ID" } },
  "POST /admin/api/sessions/{session}/end": end,
  "GET /admin/api/applications": { query: { user: "ID" } },
  "POST /admin/api/applications/{application}/revoke": end,
  "GET /admin/api/status": none,
  "GET /admin/api/doctor": none,
  "GET /admin/api/settings": none,
  "PUT /admin/api/settings/{setting}": { body: { value: "x", from: "x" } },
  "DELETE /admin/api/settings/{setting}": { query: { from: "x" } },
  "GET /admin/api/changes": {
    query: {
      ...{ actor_id: "ID", action: "x", target_kind: "x", target_id: "ID" },
      ...{ from: "", to: "" },
      ...pages,
    },
  },
  "GET /profile/api/me": none,
  "GET /profile/api/tokens": { query: list },
  "POST /profile/api/tokens": { body: { name: "cost", scope: "mcp", expires_in_days: 1 } },
  "POST /profile/api/tokens/{token}/revoke": end,
  "GET /profile/api/sessions": none,
  "POST /profile/api/sessions/end-others": end,
  "POST /profile/api/sessions/{session}/end": end,
  "GET /profile/api/identities": none,
  "GET /profile/api/chat-accounts": none,
  "POST /profile/api/chat-accounts/links": none,
  "POST /profile/api/chat-accounts/links/{link}/confirm": end,
  "DELETE /profile/api/chat-accounts/links/{link}": end,
  "DELETE /profile/api/chat-accounts/{account}": end,
  "GET /profile/api/applications": none,
  "POST /profile/api/applications/{application}/revoke": end,
  "GET /profile/api/runs": {
    query: {
      status: "error",
      source: "mcp",
      operation: "get",
      error: "x",
      from: "",
      to: "",
      ...pages,
      row: "ID",
      connector: "x",
    },
  },
  "GET /profile/api/runs/counts": {
    query: {
      status: "error",
      source: "mcp",
      operation: "get",
      error: "x",
      from: "",
      to: "",
      row: "ID",
      connector: "x",
    },
  },
};

export const formCases: Record<string, FormCase> = {
  "/auth/login": { fields: { email: "cost@localhost", password: "x", next: "/" }, kind: "hashes" },
  "/auth/logout": { fields: {}, isEnd: true },
  "/auth/password": {
    fields: { current: "x", new_password: "short", repeated: "short", next: "/" },
    kind: "hashes",
  },
  "/oauth/token": {
    fields: {
      grant_type: "refresh_token",
      client_id: "ID",
      refresh_token: "x",
      code: "x",
      redirect_uri: "x",
      code_verifier: "x",
      scope: "mcp",
    },
    kind: "of a client",
  },
  "/oauth/revoke": { fields: { token: "x", client_id: "ID" }, kind: "of a client" },
  "/oauth/register": {
    fields: { redirect_uris: ["http://127.0.0.1:9/"], client_name: "Cost" },
    kind: "of a client",
  },
  "/oauth/consent/:uid": { fields: { decision: "x" } },
  "/profile/applications/:id/revoke": { fields: {}, isEnd: true },
  "/profile/sessions/:id/end": { fields: {}, isEnd: true },
  "/profile/sessions/end-others": { fields: {}, isEnd: true },
  "/profile/tokens": { fields: { name: "", scope: "mcp", expires_in_days: "1" } },
  "/profile/tokens/:id/revoke": { fields: {}, isEnd: true },
  "/tools/encfields": { fields: { value: "x" } },
  "/tools/encfields/decrypt": { fields: { value: "x" } },
};

/** Lists the names of the hub without a case, and the cases without a name of the hub. */
export function listMissing(kind: string, known: readonly string[], cases: object): string[] {
  const names = Object.keys(cases);
  return [
    ...known.filter((name) => !names.includes(name)).map((name) => `${kind} ${name} has no case`),
    ...names
      .filter((name) => !known.includes(name))
      .map((name) => `${kind} ${name} does not exist`),
  ];
}
