import { adminRoutes } from "./admin-routes.ts";
import { managerRoutes } from "./manager-routes.ts";
import type { RouteCase } from "./route-case.ts";
import { workflowRoutes } from "./workflow-routes.ts";

/** A case for each route of the management API. */
export const routeCases: Record<string, RouteCase> = {
  ...managerRoutes,
  ...workflowRoutes,
  ...adminRoutes,
};
