/** From a fresh start to the first call by clicking alone, and what the start page says later. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createBrowser } from "../support/browser.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { startHub } from "../support/start-hub.ts";
import { checkAccessibility, checkLooks, watchPage } from "./support/app-pages.ts";
import { findChromium, startChromium } from "./support/chromium.ts";
import { describeApp, readFirstAdmin } from "./support/open-app.ts";

setDefaultTimeout(120_000);

const executable = findChromium();

describe.skipIf(executable === null)("A newcomer", () => {
  test("From a fresh start, six clicks lead to the first call of a client and to a tried sample row", async () => {
    await using hub = await startHub();
    const browser = await startChromium(executable ?? "");
    await using owned = new AsyncDisposableStack();
    owned.defer(() => browser.close());
    const base = `http://localhost:${hub.port}`;
    const context = await browser.newContext({ reducedMotion: "reduce" });
    context.setDefaultTimeout(20_000);
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
    expect((await client.call("hub_list")).isError).toBeFalse();
    await page.waitForSelector("text=The first call has arrived.");

    await click("button:has-text('Make a sample row')");
    await page.waitForURL(/\/manager\/connectors\/http\/[0-9a-f-]{36}\?/);
    await click("button[type=submit]:has-text('Call')");
    await page.waitForSelector("section:has-text('Result') >> text=ok");
    expect(clicks).toBe(6);

    // The token is shown once, the steps until the first call, and the offer until a row exists.
    await page.goto(base);
    await page.waitForSelector("[role=table]");
    expect(await page.content()).not.toContain(token);
    for (const text of ["Three steps", "Make a sample row"]) {
      expect(await page.locator(`text=${text}`).count()).toBe(0);
    }
    expect(faults).toEqual([]);
  });
});

describeApp({ title: "The start page" }, (app) => {
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
    await lines.filter({ hasText: "The plugin broken fails" }).waitFor();
    await page.setViewportSize({ width: 360, height: 900 });
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(360);
    await checkAccessibility(visitor);
    const goes = [
      [
        "5 sign-ins of ada@example.com were refused in the last day.",
        /\/admin\/users\/[0-9a-f-]+$/,
      ],
      [
        "<b>Search</b> needs setup: base_url",
        /\/manager\/connectors\/http\/[0-9a-f-]+\?tab=settings$/,
      ],
      ["The plugin broken fails", /\/manager\/connectors\?q=broken$/],
    ] as const;
    for (const [text, address] of goes) {
      await lines.filter({ hasText: text }).locator("a").click();
      await page.waitForURL(address);
      await page.waitForSelector("h1");
      await page.goBack();
    }
    expect(faults).toEqual([]);
  });

  test("Users who are no admins see neither what needs attention nor the sample row", async () => {
    await using visitor = await app.open("/", { as: await app.addUser("ben@example.com") });
    const { page, faults } = visitor;
    await page.waitForSelector("text=Three steps to the first call");
    await page.waitForLoadState("networkidle");
    for (const text of ["Needs attention", "sample row"]) {
      expect(await page.locator(`text=${text}`).count()).toBe(0);
    }
    expect(faults).toEqual([]);
  });
});
