/** From a fresh start to the first call by clicking alone, and what the start page says later. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createBrowser } from "../support/browser.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { startHub } from "../support/start-hub.ts";
import { checkAccessibility, checkLooks, makeRuns, watchPage } from "./support/app-pages.ts";
import { findChromium, startChromium } from "./support/chromium.ts";
import { describeApp, readFirstAdmin } from "./support/open-app.ts";

setDefaultTimeout(180_000);

const executable = findChromium();

describe.skipIf(executable === null)("A newcomer", () => {
  test("From a fresh start, six clicks lead to the first call of a client and to a tried sample row", async () => {
    await using hub = await startHub();
    const browser = await startChromium(executable ?? "");
    await using owned = new AsyncDisposableStack();
    owned.defer(() => browser.close());
    const base = `http://localhost:${hub.port}`;
    const context = await browser.newContext({ reducedMotion: "reduce" });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: base });
    await using visitor = await watchPage(context, base);
    const { page, faults } = visitor;
    let clicks = 0;
    const click = async (selector: string) => {
      clicks += 1;
      await page.click(selector);
    };

    // What the start has printed.
    const { email, password } = readFirstAdmin(hub);
    await page.goto(base);
    await page.fill("input[name=email]", email);
    await page.fill("input[name=password]", password);
    await click("button.wide");
    await page.fill("input[name=new_password]", "a long enough pass phrase");
    await page.fill("input[name=repeated]", "a long enough pass phrase");
    await click("button.wide");
    await page.waitForSelector("text=Three steps to the first call");
    await checkLooks(visitor);

    await click("main button:has-text('Make a token')");
    await page.waitForSelector("pre:has-text('hub_pat_')");
    await click("button[aria-label='Copy these lines']");
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    const url = /http:\S+(?=\/mcp)/.exec(copied)?.[0] ?? "";
    const token = /hub_pat_[0-9a-f]{32}/.exec(copied)?.[0] ?? "";

    await using client = await connectHttp(url, token);
    await client.listTools();
    await page.waitForSelector("text=A client has connected.");
    // A list of tools is no call of an operation.
    expect((await client.call("hub_list")).isError).toBeFalse();

    await click("button:has-text('Make a sample row')");
    await page.waitForURL(/\/manager\/connectors\/http\/[0-9a-f-]{36}\?/);
    await click("button[type=submit]:has-text('Call')");
    await page.waitForSelector("section:has-text('Result') >> text=ok");
    expect(clicks).toBe(6);

    // The test on the page was no call of a client.
    const row = /http\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? "";
    await page.goto(base);
    await page.waitForSelector("text=A client has connected.");
    const used = { tool_id: `conn:${row}/get`, params: { path: "/" } };
    expect((await client.call("hub_execute", used)).isError).toBeFalse();
    await page.waitForSelector("text=The first call has arrived.");

    // The token is shown once, the steps until the first call, and the offer until a row exists.
    await page.goto(base);
    await page.waitForSelector("[role=table]");
    expect(await page.content()).not.toContain(token);
    for (const text of ["Three steps", "Make a sample row"]) {
      expect(await page.locator(`text=${text}`).count()).toBe(0);
    }
    const headers = { authorization: `Bearer ${await hub.makeManageToken()}` };
    const answer = await fetch(`${base}/admin/api/tokens`, { headers });
    const { tokens }: { tokens: Array<{ name: string; expires_at: string | null }> } = Object(
      await answer.json(),
    );
    const made = tokens.find(({ name }) => name === "Claude Code, first token");
    expect(Date.parse(made?.expires_at ?? "") - Date.now()).toBeLessThanOrEqual(90 * 86_400_000);
    expect(faults).toEqual([]);
  });
});

describeApp({ title: "The start page" }, (app) => {
  const base = () => app.base;

  nightlyTest("Every line of what needs attention leads to where it is solved", async () => {
    const { hub, base } = app;
    await app.addUser("ada@example.com");
    await hub.cli(
      "row",
      "add",
      "http",
      "--incomplete",
      "--label",
      "<b>Search</b>",
      "--tag",
      "team",
    );
    const folder = join(hub.dataDir, "plugins", "broken");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "plugin.json"), "{}");
    const guess = async (account: string) => {
      const guesser = createBrowser();
      const page = await guesser.open(`${base}/auth/login`);
      await guesser.submit(page, { email: account, password: "wrong" });
    };
    for (let count = 0; count < 5; count += 1) await guess("ada@example.com");

    await using visitor = await app.open("/");
    const { page, faults } = visitor;
    const lines = page.locator("section:has-text('Needs attention') li");
    await lines.filter({ hasText: "5 sign-ins of" }).waitFor();
    await lines.filter({ hasText: "The plugin fails" }).waitFor();
    await page.setViewportSize({ width: 360, height: 900 });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
    await checkAccessibility(visitor);
    const goes = [
      ["5 sign-ins of this user were refused in the last day.", /\/admin\/users\/[0-9a-f-]+$/],
      ["It needs Base URL.", /\/manager\/connectors\/http\/[0-9a-f-]+\?tab=settings$/],
      ["The plugin fails", /\/manager\/connectors\?q=broken$/],
      ["None was made here", /\/admin\/health$/],
    ] as const;
    for (const [text, address] of goes) {
      await lines.filter({ hasText: text }).locator("a").click();
      await page.waitForURL(address);
      await page.waitForSelector("h1");
      await page.goBack();
    }
    expect(faults).toEqual([]);
  });

  nightlyTest(
    "Users without a row read that nothing is shared with them, and put the steps away in their browser",
    async () => {
      await using visitor = await app.open("/", { as: await app.addUser("ben@example.com") });
      const { page, faults } = visitor;
      await page.waitForSelector("text=Three steps to the first call");
      await page.waitForSelector(
        "section:has-text('Nothing is shared with you yet') >> text=ben@example.com",
      );
      await visitor.untilIdle();
      for (const text of ["Needs attention", "sample row"]) {
        expect(await page.locator(`text=${text}`).count()).toBe(0);
      }
      await checkAccessibility(visitor);
      await page.getByRole("button", { name: "Put away" }).click();
      await page.goto(`${base()}/`);
      await page.waitForSelector("text=Your last calls");
      expect(await page.locator("text=Three steps").count()).toBe(0);
      expect(faults).toEqual([]);
    },
  );

  test("Home asks for at most eight things, and nothing on it moves", async () => {
    await makeRuns(app.hub, app.base);
    await using visitor = await app.open("/admin/health");
    const { page } = visitor;
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/")) asked.push(new URL(request.url()).pathname);
    });
    await page.addInitScript(`window.shifts = 0; new PerformanceObserver((list) => {
      for (const shift of list.getEntries()) window.shifts += shift.value;
    }).observe({ type: "layout-shift", buffered: true });`);
    await page.goto(base());
    await page.waitForSelector("text=Last calls");
    await page.waitForSelector("[role=table] a");
    await visitor.untilIdle();
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThanOrEqual(8);
    expect(await page.evaluate<number>("window.shifts")).toBeLessThanOrEqual(0.05);
  });
});
