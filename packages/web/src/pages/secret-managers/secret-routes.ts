/** The lists that change with a manager or a reference. */
export const secretRoutes = [
  "GET /admin/api/secret-sources",
  "GET /admin/api/secret-references",
] as const;
