/** The lists that change with service users, their clients and trusted issuers. */
export const machineRoutes = [
  "GET /admin/api/service-users",
  "GET /admin/api/machine-clients",
  "GET /admin/api/trusted-issuers",
  "GET /admin/api/tokens",
  "GET /admin/api/applications",
  "GET /admin/api/changes",
] as const;
