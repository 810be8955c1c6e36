/** The routes whose answers change with the SCIM clients. */
export const scimRoutes = [
  "GET /admin/api/scim-clients",
  "GET /admin/api/users",
  "GET /admin/api/changes",
] as const;
