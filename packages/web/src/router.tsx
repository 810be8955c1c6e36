import type { AppPage } from "@hub/contract/app-pages.ts";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { asApiError } from "./api/api-error.ts";
import type { AppContext } from "./api/use-api.ts";
import { readRunFilters } from "./pages/runs/run-filters.ts";
import { Shell } from "./shell/shell.tsx";
import { EmptyState } from "./ui/empty-state.tsx";
import { PageError } from "./ui/page-error.tsx";
import { PageSkeleton } from "./ui/page-skeleton.tsx";

const root = createRootRouteWithContext<AppContext>()({ component: Shell });

/** The path of a page, which must be in the list that the server answers. */
const at = <Path extends AppPage>(path: Path) => ({ getParentRoute: () => root, path });

/** Every page of the app. A page is loaded with its first visit. */
const routes = root.addChildren([
  createRoute({
    ...at("/"),
    component: lazyRouteComponent(() => import("./pages/home/home-page.tsx"), "HomePage"),
  }),
  createRoute({
    ...at("/manager/runs"),
    validateSearch: readRunFilters,
    component: lazyRouteComponent(() => import("./pages/runs/runs-page.tsx"), "RunsPage"),
  }),
  createRoute({
    ...at("/manager/runs/$run"),
    component: lazyRouteComponent(() => import("./pages/runs/run-page.tsx"), "RunPage"),
  }),
]);

export function createAppRouter(context: AppContext) {
  return createRouter({
    routeTree: routes,
    context,
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultPendingComponent: PageSkeleton,
    defaultErrorComponent: ({ error, reset }) => (
      <PageError what="This page" error={asApiError(error)} onRetry={reset} />
    ),
    defaultNotFoundComponent: () => (
      <EmptyState icon="search" title="Page not found">
        There is no page at this address.
      </EmptyState>
    ),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
