import { end, list, none, type RouteCase } from "./route-case.ts";

const exported = {
  format: "hub-workflow",
  name: "Cost",
  description: "",
  run_by: "tags",
  body: {},
  secrets: [],
};

/** Workflows, their runs and approvals. */
export const workflowRoutes: Record<string, RouteCase> = {
  "GET /manager/api/workflows": {
    query: { ...list, q: "x", tag: "x", owner: "ID", state: "draft" },
  },
  "POST /manager/api/workflows": {
    body: {
      name: "Cost",
      description: "",
      run_by: "tags",
      body: {},
      id: "cost",
      example: "x",
      rows: {},
      env: {},
    },
  },
  "GET /manager/api/workflow-examples": none,
  "GET /manager/api/workflow-schedule": {
    query: { schedule: "*/7 * * 29 2 +1", timezone: "Europe/Berlin" },
  },
  "POST /manager/api/workflows/import": {
    body: { ...exported, id: "cost", rows: { row: { connector: "http", from: "built-in" } } },
  },
  "POST /manager/api/workflows/validate": { body: { body: {} } },
  "GET /manager/api/approvals": {
    query: {
      ...list,
      state: "pending",
      workflow: "x",
      run: "x",
      mine: "true",
      decided: "true",
      may_decide: "true",
    },
  },
  "GET /manager/api/approvals/{approval}": none,
  "POST /manager/api/approvals/{approval}/decide": {
    body: { decision: "denied", hash: "x", comment: "" },
  },
  "GET /manager/api/pending-calls": {
    query: { ...list, state: "open", mine: "true", decided: "true", decidable: "true" },
  },
  "GET /manager/api/waiting-decisions": none,
  "GET /manager/api/pending-calls/{call}": none,
  "POST /manager/api/pending-calls/{call}/decision": {
    body: { decision: "denied", hash: "x", comment: "", hour: false },
  },
  "PUT /manager/api/pending-calls/{call}/deputy": { body: { deputy: "other@localhost" } },
  "GET /manager/api/permits": { query: { ...list, user: "x" } },
  "DELETE /manager/api/permits/{permit}": end,
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
  "PUT /manager/api/workflows/{workflow}/secrets/{secret}/reference": { body: { reference: "x" } },
  "DELETE /manager/api/workflows/{workflow}/secrets/{secret}": end,
  "GET /manager/api/workflows/{workflow}/pins": none,
  "PUT /manager/api/workflows/{workflow}/pins/{node}": { body: { run: "x", node: "x" } },
  "DELETE /manager/api/workflows/{workflow}/pins/{node}": end,
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
      payload: {},
      draft: true,
      error_triggers: true,
      trigger_id: "x",
      wait_s: 0,
      dry_run: true,
      only_node: "x",
      pins: { x: {} },
      pins_from: "x",
      draft_pins: true,
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
  "GET /manager/api/workflows/{workflow}/runs/{run}/events": { query: { items: "false" } },
  "POST /manager/api/workflows/{workflow}/runs/{run}/cancel": none,
  "POST /manager/api/workflows/{workflow}/runs/{run}/replay": {
    body: { error_triggers: true, draft: true, dry_run: true },
  },
  "GET /manager/api/workflows/{workflow}/runs/{run}/resume": { query: { body: "draft" } },
  "POST /manager/api/workflows/{workflow}/runs/{run}/resume": {
    body: {
      body: "draft",
      decisions: [{ node_id: "x", item: 0, decision: "succeeded", output: {} }],
    },
  },
};
