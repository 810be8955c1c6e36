/**
 * The app in a real browser: every page in three widths and two colour schemes, without faults of the
 * console, the content policy, other origins, or accessibility.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { checkPages, checkSchemes, checkServerPage, makeRuns } from "./support/app-pages.ts";
import { describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

describeApp({ title: "The app in a browser" }, (app) => {
  let runId: string;

  beforeAll(async () => {
    runId = (await makeRuns(app.hub, app.base))[0] ?? "";
  });

  test("Every page fits and is accessible in each look", async () => {
    await using visitor = await app.open();
    await checkPages(visitor, [
      "/",
      "/manager/runs",
      `/manager/runs/${runId}`,
      "/profile/accounts",
    ]);
  });

  nightlyTest(
    "The menu leads to each page, and Back returns to the filters of the one before",
    async () => {
      await using visitor = await app.open();
      const { page, faults } = visitor;
      await page.click('nav >> text="Calls"');
      await page.selectOption("select[aria-label=Status]", "success");
      await page.waitForURL(/status=success/);
      await page.click("[role=table] a >> nth=0");
      await page.waitForURL(/open=[0-9a-f-]{36}/);
      await page.goBack();
      await page.waitForURL(/status=success$/);
      expect(await page.inputValue("select[aria-label=Status]")).toBe("success");
      expect(faults).toEqual([]);
    },
  );

  test("A session that ends in the middle of work is renewed in place", async () => {
    await using visitor = await app.open("/manager/runs");
    const { page } = visitor;
    await page.context().clearCookies({ name: "hub_session" });
    await page.selectOption("select[aria-label=Source]", "mcp");
    await page.fill("input[name=password]", "not the password");
    await page.click("[role=dialog] button[type=submit]");
    await page.waitForSelector("[role=dialog] [role=alert]");
    await checkSchemes(visitor);
    await page.fill("input[name=password]", app.admin.password);
    await page.click("[role=dialog] button[type=submit]");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    await page.waitForSelector("[role=table] a");
    expect(page.url()).toContain("source=mcp");
  });

  test("The keyboard alone opens a run by the palette and by the table", async () => {
    await using visitor = await app.open();
    const { page, faults } = visitor;
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type(runId);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/manager/runs/${runId}`);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type("calls");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${app.base}/manager/runs`);
    await page.focus("[role=table] a");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/manager\/runs\?open=[0-9a-f-]{36}$/);
    expect(faults).toEqual([]);
  });

  nightlyTest("The chosen colours hold on the server-rendered pages too", async () => {
    await using visitor = await app.open("/", { colorScheme: "light" });
    const { page } = visitor;
    const switchTo = async (name: string) => page.click(`button[aria-label*='Switch to ${name}']`);
    await switchTo("light");
    await switchTo("dark");
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const dark = await ground();
    await page.goto(`${app.base}/profile`);
    expect(await ground()).toBe(dark);
  });

  nightlyTest(
    "The menu folds to icons with names for the pointer and the keyboard, in the app and in server-rendered pages",
    async () => {
      await using visitor = await app.open("/manager/runs", { width: 1280 });
      const { page, faults } = visitor;
      const link = (name: string) =>
        page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
      const readWidth = async () => (await page.locator("nav.hub-nav").boundingBox())?.width;
      const readHint = async (name: string) =>
        (await link(name).locator(".hub-name").boundingBox())?.x;
      const fold = page.getByRole("button", { name: "Fold the menu to icons" });
      expect(await readWidth()).toBe(240);
      await fold.focus();
      await page.keyboard.press("Enter");
      expect(await readWidth()).toBe(56);
      await checkSchemes(visitor);
      await page.goto(`${app.base}/profile`);
      expect(await readWidth()).toBe(56);
      await link("Tokens").focus();
      expect(await readHint("Tokens")).toBeGreaterThan(50);
      await checkServerPage(page);
      await page.getByRole("button", { name: "Show the names of the menu" }).click();
      expect(await readWidth()).toBe(240);
      // Graphs of workflows have a choice of their own.
      await page.goto(`${app.base}/workflows/none/edit`);
      await page.getByRole("button", { name: "Show the names of the menu" }).click();
      expect(await readWidth()).toBe(240);
      await link("Calls").click();
      await page.waitForURL(`${app.base}/manager/runs`);
      await fold.click();
      await page.goto(`${app.base}/workflows/none/edit`);
      await fold.waitFor();
      expect(await readWidth()).toBe(240);
      await page.setViewportSize({ width: 900, height: 900 });
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.getByRole("link", { name: "Calls", exact: true }).waitFor();
      expect(await readWidth()).toBe(272);
      expect(await fold.count()).toBe(0);
      expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
    },
  );

  nightlyTest(
    "Server-rendered pages have the palette, the switch of colours and relative times",
    async () => {
      await using visitor = await app.open("/profile", { colorScheme: "light" });
      const { page, faults } = visitor;
      await page.waitForSelector("main time:has-text('ago'), main time:has-text('just now')");
      await page.click("button[aria-label*='Switch to light']");
      await page.click("button[aria-label*='Switch to dark']");
      await page.waitForSelector("html[data-scheme=dark]");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill("health");
      await page.getByRole("option", { name: "Health" }).waitFor();
      await page.getByText("Searching…").waitFor({ state: "detached" });
      await checkServerPage(page);
      await page.keyboard.press("Escape");
      await page.getByRole("combobox", { name: "Search" }).waitFor({ state: "detached" });
      await page.click("a.hub-search");
      await page.keyboard.type("health");
      await page.keyboard.press("Enter");
      await page.waitForURL(`${app.base}/admin/health`);
      expect(faults).toEqual([]);
    },
  );

  test("An address without a page has the menu, of the app or of the server", async () => {
    await using visitor = await app.open();
    const { page } = visitor;
    for (const path of ["/nothing-here", "/manager/nothing"]) {
      await page.goto(`${app.base}${path}`);
      await page.locator("h1", { hasText: "Page not found" }).waitFor();
      await page.locator("nav.hub-nav").getByRole("link", { name: "Home" }).waitFor();
    }
    await checkServerPage(page);
  });

  nightlyTest(
    "A thing that is not there has the page of an address without a page, and what the hub says",
    async () => {
      await using visitor = await app.open();
      const { page } = visitor;
      const id = "00000000-0000-7000-8000-000000000000";
      for (const [path, said] of [
        [`/manager/connectors/http/${id}`, "There is no such row."],
        ["/manager/connectors/nothing", "There is no such connector."],
        [`/workflows/${id}`, "There is no such workflow."],
        [`/workflows/${id}/edit`, "There is no such workflow."],
        [`/admin/users/${id}`, "user"],
        [`/approvals/${id}`, "approval"],
      ] as const) {
        await page.goto(`${app.base}${path}`);
        await page.locator("h1", { hasText: "Page not found" }).waitFor();
        await page.getByRole("alert").getByText(said).waitFor();
        await page
          .getByRole("navigation", { name: "Pages above" })
          .getByRole("link")
          .first()
          .waitFor();
        await page.locator("nav.hub-nav").getByRole("link", { name: "Home" }).waitFor();
        expect(await page.getByRole("button", { name: "Retry" }).count()).toBe(0);
      }
      await checkSchemes(visitor);
    },
  );

  nightlyTest(
    "A table ends where its contents end, and its lines are 36 px high, or 28 on demand",
    async () => {
      await using visitor = await app.open("/admin/tokens", { width: 1920 });
      const { page } = visitor;
      const table = page.getByRole("table", { name: "Tokens" });
      await table.getByRole("cell").first().waitFor();
      const measure = () =>
        page.evaluate<{ width: number; height: number; cut: number }>(`(() => {
        const table = document.querySelector("[role=table]");
        const cells = [...table.querySelectorAll("[role=cell]")];
        const cut = cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
        const line = table.querySelector("[data-index]");
        return { width: table.offsetWidth, height: line.offsetHeight, cut: cut.length };
      })()`);
      const { width, height, cut } = await measure();
      expect(width).toBeLessThan(1200);
      expect({ height, cut }).toEqual({ height: 36, cut: 0 });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search" }).fill("compact lines");
      await page.keyboard.press("Enter");
      await page.locator("[role=table][data-compact]").waitFor();
      expect((await measure()).height).toBe(28);
    },
  );

  nightlyTest("A page that loads has the shape of what comes", async () => {
    await using visitor = await app.open("/manager/runs");
    const { page } = visitor;
    for (const [path, asked, shape] of [
      ["/manager/connectors/http", "**/manager/api/connectors", "[role=columnheader]"],
      ["/manager/add", "**/manager/api/catalog", "ul > li"],
      ["/manager/runs", "**/manager/api/runs?*", "[role=columnheader]"],
      ["/operations", "**/manager/api/operations?*", "[role=columnheader]"],
    ] as const) {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await page.route(asked, async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${app.base}${path}`);
      await page
        .locator(`main [aria-label=Loading] ${shape}`)
        .first()
        .waitFor({ state: "attached" });
      release();
      await page.locator("main [aria-label=Loading]").first().waitFor({ state: "detached" });
    }
  });
});
