import type { AppPage } from "@hub/contract/app-pages.ts";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { asApiError } from "./api/api-error.ts";
import type { AppContext } from "./api/use-api.ts";
import { readApprovalFilters } from "./pages/approvals/approval-filters.ts";
import { readCallableFilters, readCallableSearch } from "./pages/callable/callable-search.ts";
import { readCanvasSearch } from "./pages/canvas/canvas-search.ts";
import { readChangeFilters } from "./pages/changes/change-filters.ts";
import { isOfCatalog, readCatalogFilters } from "./pages/connectors/catalog/catalog-filters.ts";
import { readRowFilters, readRowFiltersOfConnector } from "./pages/connectors/table/row-filters.ts";
import { readRowSearch } from "./pages/rows/row-search.ts";
import { readRunFilters } from "./pages/runs/run-filters.ts";
import { readUserFilters } from "./pages/users/user-filters.ts";
import { readWorkflowFilters } from "./pages/workflows/list/workflow-filters.ts";
import { readWorkflowSearch } from "./pages/workflows/workflow-search.ts";
import { Shell } from "./shell/shell.tsx";
import { NotFound } from "./ui/page/not-found.tsx";
import { PageError } from "./ui/page/page-error.tsx";
import { PageSkeleton } from "./ui/page/page-skeleton.tsx";
import { Waiting } from "./ui/page/waiting.tsx";
import { readTextFilters } from "./ui/tables/text-filters.ts";

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
    ...at("/manager/connectors"),
    validateSearch: readRowFilters,
    beforeLoad({ location }) {
      const search: Record<string, unknown> = { ...location.search };
      if (!isOfCatalog(search)) return;
      throw redirect({ to: "/manager/add", search: readCatalogFilters(search), replace: true });
    },
    component: lazyRouteComponent(
      () => import("./pages/connectors/connections-page.tsx"),
      "ConnectionsPage",
    ),
  }),
  createRoute({
    ...at("/manager/add"),
    validateSearch: readCatalogFilters,
    component: lazyRouteComponent(() => import("./pages/connectors/add/add-page.tsx"), "AddPage"),
  }),
  createRoute({
    ...at("/manager/connectors/$key"),
    validateSearch: readRowFiltersOfConnector,
    component: lazyRouteComponent(
      () => import("./pages/connectors/connector-page.tsx"),
      "ConnectorPage",
    ),
  }),
  createRoute({
    ...at("/manager/connectors/$key/new"),
    component: lazyRouteComponent(() => import("./pages/rows/new-row-page.tsx"), "NewRowPage"),
  }),
  createRoute({
    ...at("/manager/connectors/$key/$row"),
    validateSearch: readRowSearch,
    component: lazyRouteComponent(() => import("./pages/rows/row-page.tsx"), "RowPage"),
  }),
  createRoute({
    ...at("/manager/import"),
    component: lazyRouteComponent(() => import("./pages/import/import-page.tsx"), "ImportPage"),
  }),
  createRoute({
    ...at("/operations"),
    validateSearch: readCallableFilters,
    component: lazyRouteComponent(
      () => import("./pages/callable/callable-page.tsx"),
      "CallablePage",
    ),
  }),
  createRoute({
    ...at("/operations/$row/$operation"),
    validateSearch: readCallableSearch,
    component: lazyRouteComponent(
      () => import("./pages/callable/operation-page.tsx"),
      "OperationPage",
    ),
  }),
  createRoute({
    ...at("/manager/add/api"),
    component: lazyRouteComponent(() => import("./pages/add-api/add-api-page.tsx"), "AddApiPage"),
  }),
  createRoute({
    ...at("/workflows"),
    validateSearch: readWorkflowFilters,
    component: lazyRouteComponent(
      () => import("./pages/workflows/list/workflows-page.tsx"),
      "WorkflowsPage",
    ),
  }),
  createRoute({
    ...at("/workflows/$workflow"),
    validateSearch: readWorkflowSearch,
    component: lazyRouteComponent(
      () => import("./pages/workflows/workflow-page.tsx"),
      "WorkflowPage",
    ),
  }),
  createRoute({
    ...at("/workflows/$workflow/edit"),
    validateSearch: readCanvasSearch,
    component: lazyRouteComponent(() => import("./pages/canvas/editor-page.tsx"), "EditorPage"),
  }),
  createRoute({
    ...at("/workflows/$workflow/runs/$run"),
    validateSearch: readCanvasSearch,
    component: lazyRouteComponent(
      () => import("./pages/canvas/workflow-run-page.tsx"),
      "WorkflowRunPage",
    ),
  }),
  createRoute({
    ...at("/approvals"),
    validateSearch: readApprovalFilters,
    component: lazyRouteComponent(
      () => import("./pages/approvals/list/approvals-page.tsx"),
      "ApprovalsPage",
    ),
  }),
  createRoute({
    ...at("/approvals/$approval"),
    component: lazyRouteComponent(
      () => import("./pages/approvals/approval-page.tsx"),
      "ApprovalPage",
    ),
  }),
  createRoute({
    ...at("/approvals/calls/$call"),
    component: lazyRouteComponent(
      () => import("./pages/approvals/calls/call-page.tsx"),
      "CallPage",
    ),
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
  createRoute({
    ...at("/profile/accounts"),
    validateSearch: (search) => readTextFilters(search, ["row", "q"]),
    component: lazyRouteComponent(
      () => import("./pages/accounts/accounts-page.tsx"),
      "AccountsPage",
    ),
  }),
  createRoute({
    ...at("/profile/chat-accounts"),
    component: lazyRouteComponent(
      () => import("./pages/chat-accounts/chat-accounts-page.tsx"),
      "ChatAccountsPage",
    ),
  }),
  createRoute({
    ...at("/admin/users"),
    validateSearch: readUserFilters,
    component: lazyRouteComponent(() => import("./pages/users/users-page.tsx"), "UsersPage"),
  }),
  createRoute({
    ...at("/admin/users/groups"),
    component: lazyRouteComponent(
      () => import("./pages/users/groups/groups-page.tsx"),
      "GroupsPage",
    ),
  }),
  createRoute({
    ...at("/admin/users/provisioning"),
    component: lazyRouteComponent(
      () => import("./pages/users/provisioning/provisioning-page.tsx"),
      "ProvisioningPage",
    ),
  }),
  createRoute({
    ...at("/admin/users/service-users"),
    component: lazyRouteComponent(
      () => import("./pages/users/machines/service-users-page.tsx"),
      "ServiceUsersPage",
    ),
  }),
  createRoute({
    ...at("/admin/users/trusted-issuers"),
    component: lazyRouteComponent(
      () => import("./pages/users/machines/trusted-issuers-page.tsx"),
      "TrustedIssuersPage",
    ),
  }),
  createRoute({
    ...at("/admin/users/$user"),
    component: lazyRouteComponent(() => import("./pages/users/user-page.tsx"), "UserPage"),
  }),
  createRoute({
    ...at("/admin/tags"),
    validateSearch: (search) => readTextFilters(search, ["q"]),
    component: lazyRouteComponent(() => import("./pages/tags/tags-page.tsx"), "TagsPage"),
  }),
  createRoute({
    ...at("/admin/tags/$tag"),
    component: lazyRouteComponent(() => import("./pages/tags/tag-page.tsx"), "TagPage"),
  }),
  createRoute({
    ...at("/admin/connectors"),
    validateSearch: (search) => readTextFilters(search, ["q"]),
    component: lazyRouteComponent(
      () => import("./pages/connector-types/connector-types-page.tsx"),
      "ConnectorTypesPage",
    ),
  }),
  createRoute({
    ...at("/admin/tokens"),
    validateSearch: (search) => readTextFilters(search, ["q", "state"]),
    component: lazyRouteComponent(() => import("./pages/tokens/tokens-page.tsx"), "TokensPage"),
  }),
  createRoute({
    ...at("/admin/applications"),
    validateSearch: (search) => readTextFilters(search, ["q"]),
    component: lazyRouteComponent(
      () => import("./pages/applications/applications-page.tsx"),
      "ApplicationsPage",
    ),
  }),
  createRoute({
    ...at("/admin/changes"),
    validateSearch: readChangeFilters,
    component: lazyRouteComponent(() => import("./pages/changes/changes-page.tsx"), "ChangesPage"),
  }),
  createRoute({
    ...at("/admin/settings"),
    validateSearch: (search) => readTextFilters(search, ["q", "origin"]),
    component: lazyRouteComponent(
      () => import("./pages/settings/settings-page.tsx"),
      "SettingsPage",
    ),
  }),
  createRoute({
    ...at("/admin/secret-managers"),
    component: lazyRouteComponent(
      () => import("./pages/secret-managers/secret-managers-page.tsx"),
      "SecretManagersPage",
    ),
  }),
  createRoute({
    ...at("/admin/health"),
    component: lazyRouteComponent(() => import("./pages/health/health-page.tsx"), "HealthPage"),
  }),
]);

export function createAppRouter(context: AppContext) {
  return createRouter({
    routeTree: routes,
    context,
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: ({ error, reset }) => (
      <PageError what="This page" error={asApiError(error)} onRetry={reset} />
    ),
    defaultNotFoundComponent: () => <NotFound />,
  });
}

/** The code of a page that is opened for the first time. It is shown a second after the click. */
function PendingPage() {
  return (
    <Waiting what="This page" afterMs={2_000} onRetry={() => window.location.reload()}>
      <PageSkeleton />
    </Waiting>
  );
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
