/**
 * The addresses that the pages of `packages/web` have. `$name` is a parameter. The server answers each
 * of them with the app, and the app has a route for each.
 */
export const appPages = [
  "/",
  "/manager/connectors",
  "/manager/add",
  "/manager/connectors/$key",
  "/manager/connectors/$key/new",
  "/manager/connectors/$key/$row",
  "/manager/import",
  "/operations",
  "/operations/$row/$operation",
  "/manager/add/api",
  "/workflows",
  "/workflows/$workflow",
  "/workflows/$workflow/edit",
  "/workflows/$workflow/runs/$run",
  "/approvals",
  "/approvals/$approval",
  "/approvals/calls/$call",
  "/manager/runs",
  "/manager/runs/$run",
  "/profile/accounts",
  "/profile/chat-accounts",
  "/admin/users",
  "/admin/users/$user",
  "/admin/tags",
  "/admin/tags/$tag",
  "/admin/connectors",
  "/admin/tokens",
  "/admin/applications",
  "/admin/changes",
  "/admin/settings",
  "/admin/secret-managers",
  "/admin/health",
] as const;
export type AppPage = (typeof appPages)[number];
