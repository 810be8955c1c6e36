/** The routes whose answers change with a workflow, other than its runs. */
export const workflowRoutes = [
  "GET /manager/api/workflows",
  "GET /manager/api/workflows/{workflow}",
  "GET /manager/api/workflows/{workflow}/versions",
  "GET /manager/api/workflows/{workflow}/diff",
  "GET /manager/api/workflows/{workflow}/opened",
  "GET /manager/api/workflows/{workflow}/secrets",
  "GET /manager/api/workflows/{workflow}/ticks",
  "GET /manager/api/workflows/{workflow}/webhooks",
  "GET /manager/api/workflows/{workflow}/manual",
] as const;

/** The routes whose answers change with a run of a workflow. */
export const workflowRunRoutes = [
  "GET /manager/api/workflows",
  "GET /manager/api/workflows/{workflow}/runs",
  "GET /manager/api/workflows/{workflow}/runs/{run}",
  "GET /manager/api/workflows/{workflow}/runs/{run}/diagnosis",
  "GET /manager/api/workflows/{workflow}/scheduled",
] as const;
