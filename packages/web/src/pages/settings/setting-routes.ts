/** The lists that change with a setting. */
export const settingRoutes = ["GET /admin/api/settings", "GET /admin/api/changes"] as const;
