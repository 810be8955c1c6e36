/**
 * The app in a real browser: every page in three widths and two colour schemes, without faults of the
 * console, the content policy, other origins, or accessibility.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  type AppVisitor,
  adminPassword,
  checkAccessibility,
  looks,
  makeRuns,
  signInAgain,
  signInFirstAdmin,
  watchPage,
} from "./support/app-pages.ts";
import { findChromium, startChromium } from "./support/chromium.ts";

setDefaultTimeout(180_000);

const executable = findChromium();

describe.skipIf(executable === null)("The app in a browser", () => {
  const owned = new AsyncDisposableStack();
  let browser: Browser;
  let hub: RunningHub;
  let base: string;
  let runId: string;

  beforeAll(async () => {
    hub = owned.use(await startHub());
    base = `http://localhost:${hub.port}`;
    browser = await startChromium(executable ?? "");
    owned.defer(() => browser.close());
    const context = await browser.newContext();
    await signInFirstAdmin(await watchPage(context, base), hub);
    await context.close();
    runId = (await makeRuns(hub, base))[0] ?? "";
  });
  afterAll(() => owned.disposeAsync());

  async function open(
    options: { width?: number; colorScheme?: "light" | "dark" } = {},
    path = "/",
  ): Promise<AppVisitor> {
    const { width = 1280, colorScheme = "light" } = options;
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    context.setDefaultTimeout(20_000);
    const visitor = await watchPage(context, base);
    await visitor.page.goto(`${base}${path}`);
    await signInAgain(visitor);
    await visitor.page.waitForURL(`${base}${path}`);
    await visitor.page.waitForSelector("h1");
    return visitor;
  }

  test.each(
    looks,
  )("Every page fits and is accessible at $width pixels, $colorScheme", async (look) => {
    const visitor = await open(look);
    const { page, faults } = visitor;
    for (const path of ["/", "/manager/runs", `/manager/runs/${runId}`]) {
      await page.goto(`${base}${path}`);
      await page.waitForSelector("h1");
      await page.waitForLoadState("networkidle");
      expect(await page.locator("h1").count()).toBe(1);
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect({ path, wide }).toEqual({ path, wide: look.width });
      await checkAccessibility(visitor);
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("A new user makes a token on the start page, and the page notices the first call", async () => {
    await using fresh = await startHub();
    const url = `http://localhost:${fresh.port}`;
    const context = await browser.newContext({ colorScheme: "dark", reducedMotion: "reduce" });
    context.setDefaultTimeout(20_000);
    const visitor = await watchPage(context, url);
    const { page } = visitor;
    await signInFirstAdmin(visitor, fresh);
    await page.waitForSelector("text=Three steps to the first call");
    await checkAccessibility(visitor);
    await page.emulateMedia({ colorScheme: "light" });
    // The script follows the system a moment after the style sheet.
    await page.waitForSelector("html[data-mantine-color-scheme=light]");
    await checkAccessibility(visitor);
    await page.click("main button:has-text('Make a token')");
    await page.waitForSelector("pre:has-text('hub_pat_')");
    const shown = (await page.textContent("main pre")) ?? "";
    const token = /hub_pat_[0-9a-f]{32}/.exec(shown)?.[0] ?? "";
    await makeRuns(fresh, url, token);
    await page.waitForSelector("text=The first call has arrived.");
    await page.reload();
    await page.waitForSelector("[role=table]");
    expect(await page.content()).not.toContain(token);
    expect(visitor.faults).toEqual([]);
    await context.close();
  });

  test("The menu leads to each page, and Back returns to the filters of the one before", async () => {
    const { page, faults } = await open();
    await page.click('nav >> text="Runs"');
    await page.selectOption("select[aria-label=Status]", "success");
    await page.waitForURL(/status=success/);
    await page.click("[role=table] a >> nth=0");
    await page.waitForURL(/\/manager\/runs\/[0-9a-f-]{36}$/);
    await page.goBack();
    await page.waitForURL(/status=success/);
    expect(await page.inputValue("select[aria-label=Status]")).toBe("success");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("A session that ends in the middle of work is renewed in place", async () => {
    const { page } = await open({}, "/manager/runs");
    await page.context().clearCookies({ name: "hub_session" });
    await page.selectOption("select[aria-label=Source]", "mcp");
    await page.fill("input[name=password]", "not the password");
    await page.click("[role=dialog] button[type=submit]");
    await page.waitForSelector("[role=dialog] [role=alert]");
    await page.fill("input[name=password]", adminPassword);
    await page.click("[role=dialog] button[type=submit]");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    await page.waitForSelector("[role=table] a");
    expect(page.url()).toContain("source=mcp");
    await page.context().close();
  });

  test("The keyboard alone opens a run by the palette and by the table", async () => {
    const { page, faults } = await open();
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type(runId);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/manager/runs/${runId}`);
    await page.keyboard.press("Control+k");
    await page.waitForSelector("[role=combobox]:focus");
    await page.keyboard.type("runs");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/manager/runs`);
    await page.focus("[role=table] a");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/manager\/runs\/[0-9a-f-]{36}$/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("The chosen colours hold on the server-rendered pages too", async () => {
    const { page } = await open({ colorScheme: "light" });
    const switchTo = async (name: string) => page.click(`button[aria-label*='Switch to ${name}']`);
    await switchTo("light");
    await switchTo("dark");
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const dark = await ground();
    await page.goto(`${base}/profile`);
    expect(await ground()).toBe(dark);
    await page.context().close();
  });
});
