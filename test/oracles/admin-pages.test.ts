/** The pages for admins in a real browser: each flow from empty to done, and nothing for others. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  type AppVisitor,
  checkAccessibility,
  looks,
  signInAgain,
  signInFirstAdmin,
  watchPage,
} from "./support/app-pages.ts";
import { findChromium, startChromium } from "./support/chromium.ts";
import { attack, callApi, type Filled, fillAdminPages } from "./support/fill-admin-pages.ts";

setDefaultTimeout(240_000);

const executable = findChromium();

describe.skipIf(executable === null)("The pages for admins", () => {
  const owned = new AsyncDisposableStack();
  let browser: Browser;
  let hub: RunningHub;
  let base: string;
  let filled: Filled;

  beforeAll(async () => {
    hub = owned.use(await startHub());
    base = `http://localhost:${hub.port}`;
    browser = await startChromium(executable ?? "");
    owned.defer(() => browser.close());
    const context = await browser.newContext();
    await signInFirstAdmin(await watchPage(context, base), hub);
    await context.close();
    filled = await fillAdminPages(hub, base);
  });
  afterAll(() => owned.disposeAsync());

  async function open(
    path: string,
    options: { width?: number; colorScheme?: "light" | "dark" } = {},
  ): Promise<AppVisitor> {
    const { width = 1280, colorScheme = "light" } = options;
    const context = await browser.newContext({
      colorScheme,
      userAgent: attack,
      viewport: { width, height: 900 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(20_000);
    const visitor = await watchPage(context, base);
    await visitor.page.goto(`${base}${path}`);
    await signInAgain(visitor);
    await visitor.page.waitForURL(`${base}${path}`);
    await visitor.page.waitForSelector("h1");
    return visitor;
  }

  const api = <T = Record<string, unknown>>(route: string, body?: unknown) =>
    callApi<T>(base, filled.token, route, body);
  const readTags = async (id: string) =>
    (await api<{ tags: string[] }>(`GET /admin/api/users/${id}`)).tags;
  const inDialog = (page: Page, name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true });
  const waitForToast = (page: Page, text: string) =>
    page.getByRole("status").getByText(text).first().waitFor();

  const toPaths = () => [
    "/admin/users",
    `/admin/users/${filled.adaId}`,
    `/admin/users/${filled.adminId}`,
    "/admin/tags",
    "/admin/tags/engineering",
    "/admin/connectors",
    "/admin/tokens",
    "/admin/applications",
    "/admin/changes",
    "/admin/settings",
    "/admin/health",
  ];

  test.each(
    looks,
  )("Every page for admins fits, is accessible and runs no text of others at $width pixels, $colorScheme", async (look) => {
    const visitor = await open("/", look);
    const { page, faults } = visitor;
    for (const path of toPaths()) {
      await page.goto(`${base}${path}`);
      await page.waitForSelector("h1");
      await page.waitForLoadState("networkidle");
      expect(await page.locator("h1").count()).toBe(1);
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect({ path, wide }).toEqual({ path, wide: look.width });
      expect({ path, ran: await page.evaluate("window.attacked ?? null") }).toEqual({
        path,
        ran: null,
      });
      await checkAccessibility(visitor);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("A new user is added, gets a password once, and signs in with it", async () => {
    const { page, faults } = await open("/admin/users");
    await page.getByRole("button", { name: "Add a user" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail").fill("new@example.com");
    await dialog.getByRole("combobox", { name: "Tags" }).fill("operations");
    await page.keyboard.press("Enter");
    await inDialog(page, "Add").click();
    await dialog.getByText("It is shown only now").waitFor();
    await dialog.getByRole("button", { name: "Copy the password" }).click();
    const secret = await dialog.locator("code").innerText();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);
    await inDialog(page, "Done").click();
    await page.waitForURL(/\/admin\/users\/[0-9a-f-]{36}$/);
    await page.getByRole("link", { name: "Staging logs" }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(faults).toEqual([]);

    const other = await browser.newContext();
    const theirs = await other.newPage();
    await theirs.goto(`${base}/auth/login`);
    await theirs.fill("input[name=email]", "new@example.com");
    await theirs.fill("input[name=password]", secret);
    await theirs.click("button.wide");
    await theirs.waitForURL(/\/auth\/password/);
    await other.close();
    await page.context().close();
  });

  test("Making an admin asks first, and the last admin keeps the role", async () => {
    const { id } = await api<{ id: string }>("POST /admin/api/users", { email: "up@example.com" });
    const { page } = await open(`/admin/users/${id}`);
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
    await page.goto(`${base}/admin/users/${first?.id}`);
    await page.getByLabel("Role", { exact: true }).selectOption("user");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").getByText("last active admin").waitFor();
    await page.context().close();
  });

  test("Two admins edit the tags of a user: the second is told, and neither loses anything", async () => {
    const path = `/admin/users/${filled.bothId}`;
    const { page, faults } = await open(path);
    const input = page.getByRole("combobox", { name: "Tags" });
    await input.fill("on-call");
    await page.keyboard.press("Enter");
    await page.getByText("Opens 1 row: Production logs").waitFor();
    await api(`PATCH /admin/api/users/${filled.bothId}`, { add_tags: ["operations"] });
    await page.getByText("Meanwhile another admin has added operations.").waitFor();
    await page.getByRole("button", { name: "Save tags" }).click();
    await waitForToast(page, "The tags of grace@example.com are saved.");
    expect(await readTags(filled.bothId)).toEqual(["engineering", "on-call", "operations"]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("A user who is disabled under an open page is asked to sign in, and refused", async () => {
    const { id } = await api<{ id: string }>("POST /admin/api/users", {
      email: "gone@example.com",
    });
    const { page } = await open(`/admin/users/${id}`);
    await page.getByRole("button", { name: "One-time password" }).click();
    await inDialog(page, "Make the password").click();
    const secret = await page.getByRole("dialog").locator("code").innerText();
    await inDialog(page, "Done").click();

    const context = await browser.newContext();
    const theirs = await context.newPage();
    await theirs.goto(`${base}/manager/runs`);
    const own = "a long enough pass phrase of their own";
    await theirs.fill("input[name=email]", "gone@example.com");
    await theirs.fill("input[name=password]", secret);
    await theirs.click("button.wide");
    await theirs.fill("input[name=new_password]", own);
    await theirs.fill("input[name=repeated]", own);
    await theirs.click("button.wide");
    await theirs.waitForURL(`${base}/manager/runs`);
    await theirs.getByText("No runs yet").waitFor();

    await page.getByRole("button", { name: "Disable" }).click();
    await inDialog(page, "Disable").click();
    await waitForToast(page, "gone@example.com is disabled.");
    await theirs.getByLabel("Status").selectOption("error");
    await theirs.fill("input[name=password]", own);
    await theirs.click("[role=dialog] button[type=submit]");
    await theirs.waitForSelector("[role=dialog] [role=alert]");

    await page.getByRole("button", { name: "Undo" }).click();
    await waitForToast(page, "gone@example.com can use the hub now.");
    await context.close();
    await page.context().close();
  });

  test("An ordinary user gets no page, menu entry, search result or answer for admins", async () => {
    const { id } = await api<{ id: string }>("POST /admin/api/users", {
      email: "plain@example.com",
    });
    const admin = await open(`/admin/users/${id}`);
    await admin.page.getByRole("button", { name: "One-time password" }).click();
    await inDialog(admin.page, "Make the password").click();
    const secret = await admin.page.getByRole("dialog").locator("code").innerText();
    await admin.page.context().close();

    const context = await browser.newContext();
    const { page, faults } = await watchPage(context, base);
    const own = "a long enough pass phrase of their own";
    await page.goto(`${base}/`);
    await page.fill("input[name=email]", "plain@example.com");
    await page.fill("input[name=password]", secret);
    await page.click("button.wide");
    await page.fill("input[name=new_password]", own);
    await page.fill("input[name=repeated]", own);
    await page.click("button.wide");
    await page.waitForSelector("h1");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (const path of toPaths()) {
      await page.goto(`${base}${path}`);
      await page.getByText("Page not found").waitFor();
      await page.waitForLoadState("networkidle");
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
    await context.close();
  });

  test("A token is revoked after its name is typed", async () => {
    const { page, faults } = await open("/admin/tokens?q=laptop");
    await page.getByRole("button", { name: "Revoke Laptop" }).click();
    expect(await inDialog(page, "Revoke").isDisabled()).toBe(true);
    await page.getByLabel("Type Laptop to confirm").fill("Laptop");
    await inDialog(page, "Revoke").click();
    await page.getByText("Revoked", { exact: true }).last().waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("A setting is changed, undone and reset, and a change by the command line is told", async () => {
    const name = "HUB_AUDIT_RETENTION_DAYS";
    const { page } = await open(`/admin/settings?q=${name}`);
    const change = async (value: string) => {
      await page.getByRole("button", { name: `Change ${name}` }).click();
      await page.getByRole("dialog").getByLabel("Value").fill(value);
      await inDialog(page, "Save").click();
    };
    await change("soon");
    await page.getByRole("dialog").getByText("whole number").waitFor();
    await inDialog(page, "Cancel").click();
    await change("12");
    await waitForToast(page, `${name} is now 12.`);
    await page.getByText("Changed here", { exact: true }).last().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator("li code", { hasText: /^7$/ }).waitFor();

    await page.getByRole("button", { name: `Change ${name}` }).click();
    await page.getByRole("dialog").getByLabel("Value").fill("30");
    await hub.cli("setting", "set", name, "21");
    await page.getByText("changed elsewhere to 21").waitFor();
    expect(await page.getByRole("dialog").getByLabel("Value").inputValue()).toBe("30");
    await inDialog(page, "Save").click();
    await waitForToast(page, `${name} is now 30.`);
    await page.getByRole("button", { name: `Reset ${name}` }).click();
    await page.locator("li code", { hasText: /^7$/ }).waitFor();
    await page.context().close();
  });

  test("A connector type is switched off and on again by Undo", async () => {
    const { page, faults } = await open("/admin/connectors");
    const readType = async () =>
      (await api<{ disabled_type: boolean }>("GET /manager/api/connectors/http")).disabled_type;
    const row = page.getByRole("row").filter({ has: page.locator("code", { hasText: /^http$/ }) });
    await row.locator("label").first().click();
    await page.getByRole("status").getByText("disabled for every client").waitFor();
    expect(await readType()).toBe(true);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("status").getByText("is enabled.").waitFor();
    expect(await readType()).toBe(false);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("A tag shows what it opens, and is given and taken", async () => {
    const { page, faults } = await open("/admin/tags");
    await page.getByRole("link", { name: "on-call" }).click();
    await page.waitForURL(`${base}/admin/tags/on-call`);
    await page.getByText("Production logs").click();
    await page.getByText("destructive").first().waitFor();
    const give = page.getByRole("combobox", { name: "Give it to" });
    await give.fill("ada@");
    await page.getByRole("option", { name: "ada@example.com" }).click();
    await waitForToast(page, "ada@example.com has the tag on-call.");
    expect(await readTags(filled.adaId)).toEqual(["on-call", "operations"]);
    await page.getByRole("button", { name: "Take the tag from ada@example.com" }).click();
    await waitForToast(page, "ada@example.com no longer has the tag on-call.");
    expect(await readTags(filled.adaId)).toEqual(["operations"]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("The record of changes is filtered by kind, action and actor in the address", async () => {
    const { page, faults } = await open("/admin/changes");
    await page.getByLabel("Kind").selectOption("user");
    await page.getByLabel("Action").selectOption("user.update");
    await page.waitForURL(/action=user.update/);
    await page.locator("del", { hasText: "Ada Lovelace" }).waitFor();
    await page.locator("ins", { hasText: "Ada, Countess of Lovelace" }).waitFor();
    await page.reload();
    expect(await page.getByLabel("Action").inputValue()).toBe("user.update");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("The keyboard alone finds a user, gives a tag and saves it", async () => {
    const { page, faults } = await open("/");
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox]");
    await page.keyboard.type("grace@");
    await page.getByRole("option", { name: "grace@example.com" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/users/${filled.bothId}`);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox][aria-label=Search]");
    await page.keyboard.type("users");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/admin/users`);
    await page.getByLabel("Search users").focus();
    await page.keyboard.type("ben@");
    await page.waitForURL(/q=ben/);
    await page.focus("[role=table] a");
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
    await page.context().close();
  });

  test("The page of clients copies by a button, and shows every client without scripts", async () => {
    const visitor = await open("/profile/mcp");
    const { page, faults } = visitor;
    await page.getByRole("button", { name: "Copy the lines for Codex" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toContain("HUB_TOKEN");
    await page.getByRole("link", { name: "Zed" }).click();
    await page.getByText("context_servers").waitFor();
    await checkAccessibility(visitor);
    expect(faults).toEqual([]);
    const cookies = await page.context().cookies();
    await page.context().close();

    const context = await browser.newContext({ javaScriptEnabled: false });
    await context.addCookies(cookies);
    const plain = await context.newPage();
    await plain.goto(`${base}/profile/mcp`);
    expect(await plain.getByRole("button", { name: /^Copy/ }).count()).toBe(0);
    await plain.getByRole("link", { name: "opencode" }).click();
    await plain.getByText('"remote"').waitFor();
    await context.close();
  });

  test("Of 2,000 users a search finds one at once, and only rows in view are in the document", async () => {
    const numbers = Array.from({ length: 2000 }, (_, index) => index);
    for (let at = 0; at < numbers.length; at += 20) {
      await Promise.all(
        numbers
          .slice(at, at + 20)
          .map((number) =>
            api("POST /admin/api/users", { email: `many-${number}@example.com`, tags: ["many"] }),
          ),
      );
    }
    const { page, faults } = await open("/admin/users?tag=many");
    await page.getByText("2,000 of 2,0").waitFor();
    expect(await page.locator("[role=table] [data-index]").count()).toBeLessThan(80);
    await page.getByLabel("Search users").fill("many-1999");
    await page.getByText(/^1 of /).waitFor();
    await page.getByRole("link", { name: "many-1999@example.com" }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
