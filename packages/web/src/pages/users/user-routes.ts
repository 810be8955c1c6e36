/** The lists that change with a user. */
export const userRoutes = [
  "GET /admin/api/users",
  "GET /admin/api/users/{user}",
  "GET /admin/api/users/{user}/rows",
  "GET /admin/api/tags",
  "GET /admin/api/sessions",
  "GET /admin/api/changes",
] as const;
