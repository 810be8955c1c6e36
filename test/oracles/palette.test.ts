/** The palette of Ctrl+K in a real browser: what it finds, for whom, and by the keyboard alone. */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { checkAccessibility, interceptRequests } from "./support/app-pages.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "../support/form-hub.ts");

describeApp({ title: "The palette", toHubOptions: async () => ({ main }) }, (app) => {
  let ada: AppUser;
  let [shown, hidden] = ["", ""];

  beforeAll(async () => {
    const token = await app.hub.makeManageToken();
    const add = async (label: string, tags: string[]) => {
      const values = { base_url: "https://a.example", token: "s3cret-value-9fK2xQ7vLm4R" };
      const body = { connector: "form", label, values, tags };
      return String((await callApi(app.base, token, "POST /manager/api/rows", body)).id);
    };
    shown = await add("Harbour office", ["everyone"]);
    hidden = await add("Harbour vault", ["vault"]);
    ada = await app.addUser("ada@example.com");
  });

  async function search(page: Page, text: string): Promise<void> {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).fill(text);
  }
  const option = (page: Page, name: string) =>
    page.getByRole("option").filter({ hasText: name }).first();
  const listOptions = (page: Page) => page.getByRole("option").allInnerTexts();

  test("An admin opens rows, operations, new rows and users, by the keyboard alone", async () => {
    // Dialogs and pages also work while they move.
    const look = { width: 360, colorScheme: "dark", reducedMotion: "no-preference" } as const;
    await using visitor = await app.open("/", look);
    const { page, faults } = visitor;
    await search(page, "vault");
    await option(page, "Harbour vault").waitFor();
    await page.getByText("Searching…").waitFor({ state: "detached" });
    await checkAccessibility(visitor);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/manager/connectors/form/${hidden}`);
    await search(page, "echo vault");
    await option(page, "echo").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/manager/connectors/form/${hidden}?op=echo`);
    await page.getByRole("button", { name: "Call", exact: true }).waitFor();
    await search(page, "form");
    await option(page, "New row of Form").click();
    await page.waitForURL(`${app.base}/manager/connectors/form/new`);
    // The palette of the option before may still be closing.
    await page.getByRole("combobox", { name: "Search" }).waitFor({ state: "detached" });
    await search(page, "ada@");
    await option(page, "ada@example.com").click();
    await page.waitForURL(/\/admin\/users\/[0-9a-f-]{36}$/);
    expect(faults).toEqual([]);
  });

  test("A search that was typed over ends at once", async () => {
    await using visitor = await app.open();
    const { page, faults } = visitor;
    const isEarlier = (request: Request) => request.url().endsWith("/manager/api/search?q=har");
    await interceptRequests(page, "**/manager/api/search?q=har", () => new Promise(() => {}));
    const asked = page.waitForRequest(isEarlier);
    await search(page, "har");
    await asked;
    const ended = page.waitForEvent("requestfailed", isEarlier);
    await page.getByRole("combobox", { name: "Search" }).fill("harbour vault");
    await ended;
    await option(page, "Harbour vault").waitFor();
    expect(faults).toEqual([]);
  });

  nightlyTest("An ordinary user finds only what they see", async () => {
    await using visitor = await app.open("/", { as: ada });
    const { page, faults } = visitor;
    await search(page, "harbour");
    await option(page, "Harbour office").waitFor();
    await page.getByText("Searching…").waitFor({ state: "detached" });
    expect((await listOptions(page)).join()).not.toContain("vault");
    await search(page, "admin");
    await page.getByText("Nothing has this name.").waitFor();
    await search(page, "echo harbour");
    await option(page, "echo").click();
    await page.waitForURL(`${app.base}/operations/${shown}/echo`);
    expect(faults).toEqual([]);
  });

  nightlyTest("Actions take effect from everywhere, and a failed search says why", async () => {
    await using visitor = await app.open("/manager/runs");
    const { page } = visitor;
    await search(page, "dark");
    await option(page, "Use dark colours").click();
    await page.waitForSelector("html[data-mantine-color-scheme=dark]");
    await interceptRequests(page, "**/manager/api/search*", (route) =>
      route.fulfill({ status: 500, json: { code: "internal", error: "The hub is unwell." } }),
    );
    await search(page, "harbour");
    await page.getByText("The hub is unwell.").waitFor();
    await search(page, "sign out");
    await option(page, "Sign out").click();
    await page.waitForURL(/\/auth\/login/);
  });
});
