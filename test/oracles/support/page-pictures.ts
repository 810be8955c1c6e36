import type { Page } from "playwright-core";
import { listApprovalPictures } from "./approval-pictures.ts";
import { listCallPictures } from "./call-pictures.ts";
import { callApi } from "./fill-admin-pages.ts";
import type { AppUser } from "./open-app.ts";
import { addSampleConnections } from "./sample-connections.ts";
import type { SampleHub } from "./sample-hub.ts";
import { addSampleWorkflows } from "./sample-workflows.ts";
import { listWorkflowPictures } from "./workflow-pictures.ts";

/** Forty operations of an API, as an admin pastes them. */
const addedDocument = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Tracker", version: "2.4", description: "Issues, boards and releases." },
  servers: [{ url: "https://api.example.com/v2" }, { url: "https://eu.api.example.com/v2" }],
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  security: [{ token: [] }],
  paths: Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const method = (["get", "get", "post", "delete"] as const)[at % 4] ?? "get";
      const tag = ["issues", "boards", "releases"][at % 3];
      const summary = `${method === "get" ? "Reads" : "Changes"} the ${tag} number ${at}`;
      return [
        `/${tag}/${at}`,
        { [method]: { operationId: `${method}_${tag}_${at}`, summary, tags: [tag] } },
      ];
    }),
  ),
});

/** A file of an MCP client with servers of each kind. */
const clientFile = JSON.stringify({
  mcpServers: {
    "design-files": { url: "https://design.example.com/mcp" },
    "issue-tracker": {
      url: "https://issues.example.com/mcp",
      headers: { Authorization: "Bearer sk-live-4f9c2d81b7e05a36" },
    },
    "search-of-the-intranet-and-of-the-public-web-site": {
      type: "sse",
      url: "https://search.example.com/sse",
    },
    filesystem: { command: "npx", args: ["-y", "@example/server-files", "/srv/share"] },
    postgres: { command: "docker", args: ["run", "-i", "example/postgres-mcp"], env: { DSN: "" } },
    broken: { url: "not an address" },
  },
});

/** A state of a page of which a picture is taken. */
export type PagePicture = {
  name: string;
  /** A path of the hub, or a whole address. */
  path: string;
  /** Who looks; the default is the admin. Nothing is shared with the newcomer. */
  as?: "admin" | "user" | "newcomer" | "guest";
  height?: number;
  /** The picture shows the window, not the whole page: for dialogs. */
  isWindow?: true;
  /** The page is still loading when the picture is taken. */
  isLoading?: true;
  /** Runs once before the pictures of all looks, and once after them. */
  prepare?: () => Promise<void> | void;
  undo?: () => Promise<void> | void;
  /** Runs before the page is opened. */
  before?: (page: Page) => Promise<unknown>;
  /** Runs when it is open. */
  act?: (page: Page) => Promise<unknown>;
};

const api = "**/api/**";

/** All pages, tabs, dialogs, and states such as loading, empty and failed. */
export async function listPagePictures(
  sample: SampleHub,
  { consent, consentOfApp, user }: { consent: string; consentOfApp: string; user: AppUser },
): Promise<PagePicture[]> {
  const { base, token, rows, users, site } = sample;
  const call = <T>(route: string, body?: unknown) => callApi<T>(base, token, route, body);
  const { reviewed, ...called } = await addSampleConnections(sample);
  const form = await call<{ id: string }>("POST /manager/api/rows", {
    connector: "form",
    label: "All widgets",
    tags: ["engineering", "support"],
    tests: "tag",
    values: {
      base_url: "https://a.example",
      token: "s3cret",
      label_color: "#2f7d4f",
      headers: `[{"name":"Accept","value":"application/json"}]`,
      watchers: `[{"id":"ada","name":"Ada"}]`,
      mode: "both",
      dry_run: "true",
    },
  });
  const { runs } = await call<{ runs: Array<{ id: string; status: string; row: unknown }> }>(
    "GET /manager/api/runs?limit=200",
  );
  const find = (status: string) => runs.find((run) => run.status === status)?.id ?? "";
  const sealed = await findSealed(call, rows.billing);
  const row = (id: string, search = "") => `/manager/connectors/http/${id}${search}`;
  const formRow = (search = "") => `/manager/connectors/form/${form.id}${search}`;
  const press = (name: string | RegExp) => (page: Page) =>
    page.getByRole("button", { name }).first().click();
  const failing = (status: number, code: string) => (page: Page) =>
    page.route(api, (route) => {
      if (route.request().url().endsWith("/me")) return route.continue();
      const body = { error: "Internal error. The log of the hub has details.", code };
      return route.fulfill({ status, json: body });
    });
  const slow = (page: Page) =>
    page.route(api, (route) => {
      if (route.request().url().endsWith("/me")) return route.continue();
      return new Promise(() => {});
    });
  const setAccess = async (access: string) => {
    const path = `/manager/api/rows/${rows.billing}`;
    const { version } = await call<{ version: number }>(`GET ${path}`);
    await call(`PATCH ${path}`, { version, access });
  };
  const shop = await addShopApi(call);
  const workflows = await addSampleWorkflows(base, token, rows);
  let release = () => {};

  return [
    { name: "sign-in", path: "/auth/login", as: "guest" },
    {
      name: "sign-in-wrong",
      path: "/auth/login",
      as: "guest",
      async act(page) {
        await page.fill("input[name=email]", "mei.tanaka@example.com");
        await page.fill("input[name=password]", "wrong wrong wrong");
        await page.click("button.wide");
        await page.waitForSelector("[role=alert]");
      },
    },
    { name: "consent", path: consent },
    { name: "consent-app", path: consentOfApp },
    {
      name: "consent-app-allowed",
      path: consentOfApp,
      async act(page) {
        await page.getByRole("button", { name: "Allow" }).click();
        await page.getByRole("heading", { name: "Back to the application" }).waitFor();
      },
    },
    { name: "password", path: "/auth/password" },
    { name: "profile", path: "/profile" },
    { name: "accounts-empty", path: "/profile/accounts", as: "newcomer" },
    {
      name: "accounts",
      path: "/profile/accounts",
      as: "user",
      prepare: () => setAccess("own_else_shared"),
      undo: () => setAccess("shared"),
    },
    {
      name: "accounts-connect",
      path: "/profile/accounts",
      as: "user",
      isWindow: true,
      prepare: () => setAccess("own"),
      undo: () => setAccess("shared"),
      act: press("Connect"),
    },
    { name: "chat-accounts", path: "/profile/chat-accounts" },
    { name: "profile-tokens", path: "/profile/tokens" },
    {
      name: "profile-token-made",
      path: "/profile/tokens",
      async act(page) {
        await page.fill("input[name=name]", "Laptop");
        await page.click("main form button[type=submit]");
        await page.waitForLoadState("networkidle");
      },
    },
    { name: "profile-mcp", path: "/profile/mcp" },
    { name: "encrypt", path: "/tools/encfields" },
    { name: "decrypt", path: "/tools/encfields/decrypt" },
    { name: "help", path: "/help" },
    { name: "help-page", path: "/help/reference/settings" },
    { name: "help-found", path: "/help?q=lost+key" },
    { name: "help-none", path: "/help?q=zeppelin" },
    { name: "server-not-found", path: "/nowhere" },

    { name: "home", path: "/" },
    { name: "home-user", path: "/", as: "user" },
    { name: "home-newcomer", path: "/", as: "newcomer" },
    {
      name: "menu",
      path: "/",
      isWindow: true,
      async act(page) {
        const menu = page.getByRole("button", { name: "Menu" });
        if (await menu.isVisible()) await menu.click();
      },
    },
    { name: "palette", path: "/", isWindow: true, act: (page) => page.keyboard.press("Control+k") },
    {
      name: "palette-found",
      path: "/",
      isWindow: true,
      async act(page) {
        await page.keyboard.press("Control+k");
        await page.locator("[role=combobox]").pressSequentially("bi");
        await page.waitForLoadState("networkidle");
      },
    },
    { name: "home-failed", path: "/", before: failing(500, "internal") },
    {
      name: "home-loading",
      path: "/",
      before: slow,
      isLoading: true,
      act: (page) => page.waitForSelector("h1"),
    },

    { name: "connectors", path: "/manager/connectors" },
    { name: "connectors-user", path: "/manager/connectors", as: "user" },
    { name: "connectors-newcomer", path: "/manager/connectors", as: "newcomer" },
    {
      name: "connectors-empty",
      path: "/manager/connectors",
      before: (page) =>
        page.route("**/manager/api/rows?*", (route) =>
          route.fulfill({ json: { rows: [], next: null, total: 0, by_state: {} } }),
        ),
    },
    { name: "connectors-none", path: "/manager/connectors?q=nothing" },
    {
      name: "connectors-chosen",
      path: "/manager/connectors",
      async act(page) {
        for (const at of [0, 2])
          await page
            .locator("input[aria-label^='Choose ']:visible")
            .nth(at + 1)
            .click();
      },
    },
    { name: "add-connection", path: "/manager/add" },
    { name: "add-connection-user", path: "/manager/add", as: "user" },
    { name: "add-connection-none", path: "/manager/add?q=nothing" },
    {
      name: "add-connection-phases",
      path: "/manager/add",
      isWindow: true,
      prepare() {
        release = site.holdDownloads();
      },
      undo: () => release(),
      async act(page) {
        const card = page.locator(`[data-connector="tracker"]`);
        await card
          .getByRole("button", { name: "Download" })
          .click()
          .catch(() => {});
        await card.locator("[aria-current]").waitFor();
      },
    },
    { name: "connector", path: "/manager/connectors/http" },
    { name: "connector-user", path: "/manager/connectors/http", as: "user" },
    { name: "connector-unknown", path: "/manager/connectors/nothing" },
    { name: "import", path: "/manager/import" },
    {
      name: "import-servers",
      path: "/manager/import",
      async act(page) {
        await page.getByLabel("Text of the file").fill(clientFile);
        await press("Show its servers")(page);
        await page.getByRole("list", { name: "Servers" }).waitFor();
      },
    },
    { name: "add-api", path: "/manager/add/api" },
    {
      name: "add-api-plan",
      path: "/manager/add/api",
      async act(page) {
        await page.getByLabel("Address or document").fill(addedDocument);
        await press("Read")(page);
        await page.getByText("Operations to approve").waitFor();
      },
    },
    {
      name: "add-api-made",
      path: "/manager/add/api",
      async act(page) {
        await page.getByLabel("Address or document").fill(addedDocument);
        await press("Read")(page);
        await page.getByText("Operations to approve").waitFor();
        for (const box of await page.getByRole("checkbox", { name: "https://" }).all()) {
          await box.check();
        }
        await press("Make the connection")(page);
        await page.getByRole("heading", { name: "Test call" }).waitFor();
      },
    },
    { name: "row-review", path: `/manager/connectors/openapi/${reviewed}?tab=operations` },
    {
      name: "row-review-detail",
      path: `/manager/connectors/openapi/${reviewed}?tab=operations`,
      async act(page) {
        await page
          .getByRole("table", { name: "Operations that wait" })
          .getByRole("checkbox")
          .nth(2)
          .check();
        await page
          .getByRole("button", { name: /, details of/ })
          .first()
          .click();
      },
    },
    {
      name: "row-share",
      path: row(rows.billing),
      isWindow: true,
      async act(page) {
        await press("Share")(page);
        await page.getByRole("combobox", { name: "People and tags" }).waitFor();
      },
    },
    { name: "row-new", path: "/manager/connectors/http/new" },
    { name: "row-settings", path: row(rows.billing) },
    { name: "row-needs-setup", path: row(rows.warehouse) },
    { name: "row-disabled", path: row(rows.staging) },
    { name: "row-user", path: row(rows.forecast), as: "user" },
    { name: "row-widgets-user", path: formRow("?tab=widgets"), as: "user" },
    {
      name: "row-unsaved",
      path: row(rows.billing),
      async act(page) {
        await page.getByLabel("Base URL").fill("not an address");
        await press("Save")(page);
        await page.waitForLoadState("networkidle");
      },
    },
    { name: "row-operations", path: row(rows.billing, "?tab=operations") },
    { name: "row-test", path: row(rows.billing, "?tab=test&op=get") },
    {
      name: "row-tested",
      path: formRow("?tab=test&op=echo"),
      async act(page) {
        await page.getByLabel("Text").fill("Hello");
        await press("Call")(page);
        await page.waitForLoadState("networkidle");
      },
    },
    { name: "row-history", path: row(rows.billing, "?tab=history") },
    { name: "row-access", path: row(rows.billing, "?tab=access") },
    { name: "row-rules", path: row(rows.billing, "?tab=rules") },
    { name: "row-rules-set", path: row(rows.tracker, "?tab=rules") },
    {
      name: "row-rule",
      path: row(rows.billing, "?tab=rules"),
      isWindow: true,
      height: 1200,
      async act(page) {
        await press("Change for the row")(page);
        await page.getByLabel("Ask about").selectOption("always");
        await page.getByLabel("May be permitted for an hour").check();
      },
    },
    { name: "row-unknown", path: row("00000000-0000-7000-8000-000000000000") },
    { name: "row-delete", path: row(rows.billing), isWindow: true, act: press(/^Delete/) },
    {
      name: "row-left-out",
      path: `/manager/connectors/openapi/${shop}`,
      isWindow: true,
      async act(page) {
        await page.getByText("operations left out").click();
        await page.getByRole("button", { name: "Show more" }).waitFor();
      },
    },
    { name: "widgets", path: formRow() },
    { name: "widgets-operations", path: formRow("?tab=operations") },
    { name: "widgets-test", path: formRow("?tab=test&op=echo") },

    { name: "callable", path: "/operations" },
    { name: "callable-user", path: "/operations?q=get", as: "user" },
    { name: "callable-model", path: "/operations?q=get&view=model" },
    {
      name: "callable-called",
      path: `/operations/${form.id}/echo`,
      as: "user",
      async act(page) {
        await page.getByLabel("Text").fill("Hello");
        await press("Call")(page);
        await page.getByText("Recorded call").waitFor();
      },
    },
    {
      name: "callable-destructive",
      path: `/operations/${form.id}/wipe`,
      isWindow: true,
      act: press("Call"),
    },
    { name: "callable-read", path: `/operations/${form.id}/echo?tab=model` },

    { name: "runs", path: "/manager/runs" },
    { name: "runs-user", path: "/manager/runs", as: "user" },
    {
      name: "runs-panel",
      path: "/manager/runs?status=error",
      isWindow: true,
      async act(page) {
        await page.locator("[role=row] a").first().click();
        await page.waitForLoadState("networkidle");
      },
    },
    { name: "runs-none", path: "/manager/runs?operation=nothing_like_this" },
    { name: "runs-failed", path: "/manager/runs", before: failing(500, "internal") },
    { name: "run", path: `/manager/runs/${find("success")}` },
    { name: "run-sealed", path: `/manager/runs/${sealed}` },
    { name: "run-error", path: `/manager/runs/${find("error")}` },
    { name: "run-unknown", path: "/manager/runs/00000000-0000-7000-8000-000000000000" },

    ...(await listCallPictures(sample, { rows: called, form: form.id })),
    ...listWorkflowPictures(workflows),
    ...(await listApprovalPictures(sample, user)),

    { name: "users", path: "/admin/users" },
    { name: "users-provisioning", path: "/admin/users/provisioning" },
    {
      name: "users-provisioning-add",
      path: "/admin/users/provisioning",
      isWindow: true,
      act: press(/^Add/),
    },
    { name: "users-add", path: "/admin/users", isWindow: true, act: press(/^Add/) },
    { name: "user", path: `/admin/users/${users["mei.tanaka@example.com"]}` },
    { name: "tags", path: "/admin/tags" },
    { name: "tag", path: "/admin/tags/engineering" },
    { name: "types", path: "/admin/connectors" },
    { name: "tokens", path: "/admin/tokens" },
    { name: "applications", path: "/admin/applications" },
    { name: "changes", path: "/admin/changes" },
    { name: "settings", path: "/admin/settings" },
    { name: "secret-managers", path: "/admin/secret-managers" },
    { name: "settings-change", path: "/admin/settings", isWindow: true, act: press(/^Change/) },
    { name: "health", path: "/admin/health" },
    {
      name: "connector-uninstall",
      path: "/manager/connectors/logs",
      isWindow: true,
      async prepare() {
        await call("POST /manager/api/plugins/install", { source: "logs" });
      },
      async undo() {
        await call("DELETE /manager/api/plugins/logs?data=true");
      },
      async act(page) {
        await press("Actions for Logs")(page);
        await page.getByRole("menuitem", { name: "Uninstall plugin" }).click();
        await page.getByRole("dialog").getByRole("textbox").waitFor();
      },
    },
    { name: "admin-as-user", path: "/admin/users", as: "user" },
    { name: "not-found", path: "/manager/nowhere" },
    {
      name: "session-ended",
      path: "/admin/users",
      isWindow: true,
      async act(page) {
        await page.context().clearCookies();
        await page.getByRole("searchbox").first().fill("mei");
        await page.getByRole("dialog").locator("input[name=password]").waitFor();
      },
    },
  ];
}

/** A row of an OpenAPI document of which most operations are left out. Returns its id. */
async function addShopApi(call: <T>(route: string, body?: unknown) => Promise<T>): Promise<string> {
  const row = { connector: "openapi", label: "Shop", tags: ["support"] };
  const values = { base_url: "https://shop.example.com/v1" };
  const { id } = await call<{ id: string }>("POST /manager/api/rows", { ...row, values });
  const responses = { 200: { description: "Done" } };
  const paths = Object.fromEntries(
    Array.from({ length: 130 }, (_, at) => {
      const path = `/warehouses/${at}/stock/imports-of-all-suppliers/latest`;
      const operationId = at % 10 === 0 ? undefined : `importStockOfWarehouseNumber${at}`;
      // Left out: the part in braces is not among the parameters, and TRACE cannot be used.
      if (at > 2 && at % 2 === 0)
        return [`${path}/{supplier}`, { post: { operationId, responses } }];
      return [path, { [at < 3 ? "get" : "trace"]: { operationId, responses } }];
    }),
  );
  const document = { openapi: "3.1.0", info: { title: "Shop", version: "1" }, paths };
  await call(`POST /manager/api/rows/${id}/discover`, { document: JSON.stringify(document) });
  return id;
}

/** A run whose answer has a masked secret. */
async function findSealed(call: <T>(route: string) => Promise<T>, row: string): Promise<string> {
  const { runs } = await call<{ runs: Array<{ id: string }> }>(
    `GET /manager/api/rows/${row}/runs?limit=50`,
  );
  for (const { id } of runs) {
    const run = await call<object>(`GET /manager/api/runs/${id}`);
    if (JSON.stringify(run).includes("hub_enc_")) return id;
  }
  return runs[0]?.id ?? "";
}
