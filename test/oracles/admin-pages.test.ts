/** The pages for admins in a real browser: each flow from empty to done, and nothing for others. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { queryDatabase } from "../support/query-database.ts";
import {
  checkAccessibility,
  checkPages,
  checkSchemes,
  signInByForm,
  watchPage,
} from "./support/app-pages.ts";
import { attack, callApi, type Filled, fillAdminPages } from "./support/fill-admin-pages.ts";
import { describeApp, type WindowOptions } from "./support/open-app.ts";

setDefaultTimeout(240_000);

describeApp({ title: "The pages for admins" }, (app) => {
  let filled: Filled;

  beforeAll(async () => {
    filled = await fillAdminPages(app.hub, app.base);
  });

  const open = (path: string, options: WindowOptions = {}) =>
    app.open(path, {
      userAgent: attack,
      permissions: ["clipboard-read", "clipboard-write"],
      ...options,
    });

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(app.base, filled.token, route, body);
  const readTags = async (id: string) =>
    (await api<{ tags: string[] }>(`GET /admin/api/users/${id}`)).tags;
  const inDialog = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true });
  const waitForToast = (page: Page, text: string) =>
    page.getByRole("status").getByText(text).first().waitFor();

  const toPaths = () => [
    "/admin/users",
    "/admin/users/groups",
    "/admin/users/service-users",
    "/admin/users/trusted-issuers",
    "/admin/users/provisioning",
    `/admin/users/${filled.adaId}`,
    `/admin/users/${filled.adminId}`,
    "/admin/tags",
    "/admin/tags/engineering",
    "/admin/connectors",
    "/admin/tokens",
    "/admin/applications",
    "/admin/changes",
    "/admin/settings",
    "/admin/secret-managers",
    "/admin/health",
  ];

  test("Every page for admins fits, is accessible and runs no text of others in each look", async () => {
    await using visitor = await open("/");
    await checkPages(visitor, toPaths(), async (path) => {
      const ran = await visitor.page.evaluate("window.attacked ?? null");
      expect({ path, ran }).toEqual({ path, ran: null });
    });
  });

  nightlyTest("A new user is added, gets a password once, and signs in with it", async () => {
    await using visitor = await open("/admin/users");
    const { page, faults } = visitor;
    await page.getByRole("button", { name: "Add a user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill("new@example.com");
    await dialog.getByRole("combobox", { name: "Tags" }).fill("operations");
    await page.getByRole("listbox").getByRole("option", { name: "operations" }).waitFor();
    await checkSchemes(visitor);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await checkSchemes(visitor);
    await inDialog(page, "Add").click();
    await dialog.getByText("It is shown only now").waitFor();
    await checkSchemes(visitor);
    await dialog.getByRole("button", { name: "Copy the password" }).click();
    const secret = await dialog.locator("code").innerText();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    await inDialog(page, "Done").click();
    await page.waitForURL(/\/admin\/users\/[0-9a-f-]{36}$/);
    await page.getByRole("link", { name: "Staging logs" }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(faults).toEqual([]);

    await using theirs = await watchPage(await app.browser.newContext(), app.base);
    await signInByForm(theirs, { email: "new@example.com", password: secret });
  });

  nightlyTest("Making an admin asks first, and the last admin keeps the role", async () => {
    const { id } = await api<{ id: string }>("POST /admin/api/users", { email: "up@example.com" });
    await using visitor = await open(`/admin/users/${id}`);
    const { page } = visitor;
    await page.getByLabel("Role", { exact: true }).selectOption("admin");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").getByText("can make other admins").waitFor();
    expect((await api<{ role: string }>(`GET /admin/api/users/${id}`)).role).toBe("user");
    await inDialog(page, "Make an admin").click();
    await waitForToast(page, "up@example.com is saved.");
    expect((await api<{ role: string }>(`GET /admin/api/users/${id}`)).role).toBe("admin");
    await page.getByLabel("Role", { exact: true }).selectOption("user");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("User", { exact: true }).first().waitFor();

    const { users } = await api<{ users: Array<{ id: string; email: string }> }>(
      "GET /admin/api/users",
    );
    const first = users.find(({ email }) => email === "admin@localhost");
    await page.goto(`${app.base}/admin/users/${first?.id}`);
    await page.getByLabel("Role", { exact: true }).selectOption("user");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").getByText("last active admin").waitFor();
  });

  nightlyTest(
    "Two admins edit the tags of a user: the second is told, and neither loses anything",
    async () => {
      const path = `/admin/users/${filled.bothId}`;
      await using visitor = await open(path, { hasClock: true });
      const { page, faults } = visitor;
      const input = page.getByRole("combobox", { name: "Tags" });
      await input.fill("on-call");
      await page.keyboard.press("Enter");
      await page.getByText("Opens 1 row: Production logs").waitFor();
      await api(`PATCH /admin/api/users/${filled.bothId}`, { add_tags: ["operations"] });
      await page.clock.fastForward(10_000);
      await page.getByText("Meanwhile another admin has added operations.").waitFor();
      await page.getByRole("button", { name: "Save tags" }).click();
      await waitForToast(page, "The tags of grace@example.com are saved.");
      expect(await readTags(filled.bothId)).toEqual(["engineering", "on-call", "operations"]);
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "A user who is disabled under an open page is asked to sign in, and refused",
    async () => {
      const { id } = await api<{ id: string }>("POST /admin/api/users", {
        email: "gone@example.com",
      });
      await using visitor = await open(`/admin/users/${id}`);
      const { page } = visitor;
      await page.getByRole("button", { name: "One-time password" }).click();
      await inDialog(page, "Make the password").click();
      const secret = await page.getByRole("dialog").locator("code").innerText();
      await inDialog(page, "Done").click();

      await using user = await watchPage(await app.browser.newContext(), app.base);
      const newPassword = "a long enough pass phrase of their own";
      const login = { email: "gone@example.com", password: secret };
      await signInByForm(user, login, { path: "/manager/runs?status=success", newPassword });
      const theirs = user.page;
      await theirs.getByText("No call matches the filters").waitFor();

      await page.getByRole("button", { name: "Disable" }).click();
      await inDialog(page, "Disable").click();
      await waitForToast(page, "gone@example.com is disabled.");
      await theirs.getByLabel("Status").selectOption("error");
      await theirs.fill("input[name=password]", newPassword);
      await theirs.click("[role=dialog] button[type=submit]");
      await theirs.waitForSelector("[role=dialog] [role=alert]");

      await page.getByRole("button", { name: "Undo" }).click();
      await waitForToast(page, "gone@example.com can use the hub now.");
    },
  );

  test("An ordinary user gets no page, menu entry, search result or answer for admins", async () => {
    await using visitor = await app.open("/", { as: await app.addUser("plain@example.com") });
    const { page, faults } = visitor;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (const path of toPaths()) {
      await page.goto(`${app.base}${path}`);
      await page.getByText("Page not found").waitFor();
      await visitor.untilIdle();
      expect(await page.content()).not.toContain("ada@example.com");
    }
    expect(asked.filter((path) => path.startsWith("/admin/api/"))).toEqual([]);
    expect(await page.locator("nav a[href^='/admin']").count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill("health");
    await page.getByText("Nothing has this name.").waitFor();
    await page.getByRole("combobox", { name: "Search" }).fill("ada@example.com");
    await page.getByText("Nothing has this name.").waitFor();
    for (const path of ["users", "tags", "tokens", "changes", "settings", "doctor", "status"]) {
      const status = await page.evaluate(`fetch("/admin/api/${path}").then((one) => one.status)`);
      expect({ path, status }).toEqual({ path, status: 403 });
    }
    expect(faults.filter((fault) => !fault.includes("403"))).toEqual([]);
  });

  nightlyTest("A token is revoked after its name is typed", async () => {
    await using visitor = await open("/admin/tokens?q=laptop");
    const { page, faults } = visitor;
    await page.getByRole("button", { name: "Revoke Laptop" }).click();
    expect(await inDialog(page, "Revoke").isDisabled()).toBe(true);
    await checkSchemes(visitor);
    await page.getByLabel("Type Laptop to confirm").fill("Laptop");
    await inDialog(page, "Revoke").click();
    await page.getByText("Revoked", { exact: true }).last().waitFor();
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "A setting is changed, undone and reset, and a change by the command line is told",
    async () => {
      const name = "HUB_AUDIT_RETENTION_DAYS";
      await using visitor = await open(`/admin/settings?q=${name}`, { hasClock: true });
      const { page } = visitor;
      const change = async (value: string) => {
        await page.getByRole("button", { name: "Change Audit retention" }).click();
        await page.getByRole("dialog").getByLabel("Value").fill(value);
        await inDialog(page, "Save").click();
      };
      await change("soon");
      await page.getByRole("dialog").getByText("whole number").waitFor();
      await inDialog(page, "Cancel").click();
      await change("12 days");
      await waitForToast(page, "Audit retention is now 12 days.");
      await page.getByText("Changed here", { exact: true }).last().waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("7 days", { exact: true }).waitFor();

      await page.getByRole("button", { name: "Change Audit retention" }).click();
      await page.getByRole("dialog").getByLabel("Value").fill("30");
      await app.hub.cli("setting", "set", name, "21");
      await page.clock.fastForward(5_000);
      await page.getByText("changed elsewhere to 21").waitFor();
      await checkSchemes(visitor);
      expect(await page.getByRole("dialog").getByLabel("Value").inputValue()).toBe("30");
      await inDialog(page, "Keep what I typed").click();
      await inDialog(page, "Save").click();
      await waitForToast(page, "Audit retention is now 30 days.");
      await page.getByRole("button", { name: "Reset Audit retention" }).click();
      await page.getByText("7 days", { exact: true }).waitFor();
    },
  );

  nightlyTest("A connector type is switched off and on again by Undo", async () => {
    await using visitor = await open("/admin/connectors");
    const { page, faults } = visitor;
    const readType = async () =>
      (await api<{ disabled_type: boolean }>("GET /manager/api/connectors/http")).disabled_type;
    const row = page.getByRole("row").filter({ has: page.getByText("HTTP", { exact: true }) });
    await row.locator("label").first().click();
    await page.getByRole("status").getByText("disabled for every client").waitFor();
    expect(await readType()).toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("status").getByText("is enabled.").waitFor();
    expect(await readType()).toBe(false);
    expect(faults).toEqual([]);
  });

  test("A tag shows what it opens, and is given and taken", async () => {
    await using visitor = await open("/admin/tags");
    const { page, faults } = visitor;
    await page.getByRole("link", { name: "on-call" }).click();
    await page.waitForURL(`${app.base}/admin/tags/on-call`);
    await page.getByText("Production logs").click();
    await page.getByText("destructive").first().waitFor();
    const give = page.getByRole("combobox", { name: "Give it to" });
    await give.fill("ada@");
    await page.getByRole("option", { name: "ada@example.com" }).click();
    await waitForToast(page, "ada@example.com has the tag on-call.");
    expect(await readTags(filled.adaId)).toEqual(["on-call", "operations"]);
    await page.getByRole("button", { name: "Take away the tag from ada@example.com" }).click();
    await waitForToast(page, "ada@example.com no longer has the tag on-call.");
    expect(await readTags(filled.adaId)).toEqual(["operations"]);
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "The record of changes is filtered by kind, action and actor in the address",
    async () => {
      await using visitor = await open("/admin/changes");
      const { page, faults } = visitor;
      await page.getByLabel("Kind").selectOption("user");
      await page.getByLabel("Action").selectOption("user.update");
      await page.waitForURL(/action=user.update/);
      await page.locator("del", { hasText: "Ada Lovelace" }).waitFor();
      await page.locator("ins", { hasText: "Ada, Countess of Lovelace" }).waitFor();
      await page.reload();
      expect(await page.getByLabel("Action").inputValue()).toBe("user.update");
      expect(faults).toEqual([]);
    },
  );

  nightlyTest(
    "Saves of a draft are one line of the record, which unfolds to each of them",
    async () => {
      const toBody = (value: number) => ({
        triggers: [{ id: "start", type: "manual", entry: "one" }],
        nodes: [{ id: "one", type: "set", value }],
      });
      const workflow = { name: "Often saved", body: toBody(0) };
      const { id } = await api<{ id: string }>("POST /manager/api/workflows", workflow);
      for (const revision of [1, 2, 3]) {
        const draft = { revision, body: toBody(revision) };
        await api(`PUT /manager/api/workflows/${id}/draft`, draft);
      }
      await using visitor = await open("/admin/changes?kind=workflow");
      const { page, faults } = visitor;
      await page.getByText("3 times since").waitFor();
      const line = page.getByRole("row").filter({ hasText: "3 times since" });
      expect(await page.getByRole("row").filter({ hasText: "Often saved" }).count()).toBe(2);
      expect(await line.locator("ol").count()).toBe(0);
      await line.locator("summary").focus();
      await page.keyboard.press("Enter");
      await line.locator("ol > li").nth(2).waitFor();
      expect(await line.locator("ol > li").count()).toBe(3);
      await checkSchemes(visitor);
      await page.keyboard.press("Enter");
      await line.locator("ol").waitFor({ state: "detached" });
      expect(faults).toEqual([]);
    },
  );

  nightlyTest("The keyboard alone finds a user, gives a tag and saves it", async () => {
    await using visitor = await open("/");
    const { page, faults } = visitor;
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type("grace@");
    await page.getByRole("option", { name: "grace@example.com" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/admin/users/${filled.bothId}`);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox][aria-label=Search]:focus");
    await page.keyboard.type("users");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/admin/users`);
    await page.getByLabel("Search users").focus();
    await page.keyboard.type("ben@");
    await page.waitForURL(/q=ben/);
    await page.getByRole("table").getByRole("link", { name: /^ben@/ }).focus();
    await page.getByText("1 user matches the filters").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/admin\/users\/[0-9a-f-]{36}$/);
    await page.getByRole("combobox", { name: "Tags" }).focus();
    await page.keyboard.type("operations");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitForToast(page, "The tags of ben@example.com are saved.");
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "The page of clients copies by a button, and shows every client without scripts",
    async () => {
      await using visitor = await open("/profile/mcp");
      const { page, faults } = visitor;
      await page.getByRole("button", { name: "Copy the lines for Codex" }).click();
      await page.getByText("Copied").waitFor();
      expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain("HUB_TOKEN");
      await page.getByRole("link", { name: "Zed" }).click();
      await page.getByText("context_servers").waitFor();
      await checkAccessibility(visitor);
      expect(faults).toEqual([]);

      await using plain = await app.open("/profile/mcp", { javaScriptEnabled: false });
      expect(await plain.page.getByRole("button", { name: /^Copy/ }).count()).toBe(0);
      await plain.page.getByRole("link", { name: "opencode" }).click();
      await plain.page.getByText('"remote"').waitFor();
    },
  );

  nightlyTest(
    "Of 2,000 users a search finds one at once, and only rows in view are in the document",
    async () => {
      const add = (number: number) =>
        api<{ id: string }>("POST /admin/api/users", {
          email: `many-${number}@example.com`,
          tags: ["many"],
        });
      const { id } = await add(0);
      queryDatabase(
        app.hub.dataDir,
        `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1998)
      insert into users (id, email, name, role, status, created_at, updated_at)
      select printf('00000000-0000-4000-8000-%012d', n), 'many-' || n || '@example.com', '', role, status, created_at, updated_at
      from users, numbers where id = '${id}'`,
      );
      queryDatabase(
        app.hub.dataDir,
        `insert into user_tags select users.id, tag_id from users, user_tags
      where users.id like '00000000-%' and user_id = '${id}'`,
      );
      await add(1999);
      await using visitor = await open("/admin/users?tag=many");
      const { page, faults } = visitor;
      await page.getByText("2,000 users match the filters").waitFor();
      expect(await page.locator("[role=table] [data-index]").count()).toBeLessThan(80);
      await page.getByLabel("Search users").fill("many-1999");
      await page.getByText("1 user matches the filters").waitFor();
      await page.getByRole("link", { name: "many-1999@example.com" }).waitFor();
      expect(faults).toEqual([]);
    },
  );
});
