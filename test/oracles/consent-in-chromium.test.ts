/**
 * A client's consent in a real browser: what only one with a policy of its own can show, such as that
 * the way from the form to the client is not stopped by the page's own Content-Security-Policy.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import {
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  type UserLogin,
} from "../support/oauth-fixture.ts";
import { findChromium, startChromium } from "./support/chromium.ts";

setDefaultTimeout(120_000);

const executable = findChromium();
const owned = new AsyncDisposableStack();
let stage: OAuthFixture;
let ada: UserLogin;
let browser: Browser;
const answers: URL[] = [];

/** A native client's own little server. */
const listener = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    const url = new URL(req.url);
    // A browser asks for an icon, too.
    if (url.pathname === "/callback") answers.push(url);
    return new Response("Done.");
  },
});
owned.defer(() => listener.stop(true));
const callback = `http://127.0.0.1:${listener.port}/callback`;

beforeAll(async () => {
  stage = owned.use(await openOAuthFixture());
  ada = await stage.addUserWithPassword("ada@example.com");
  if (executable === null) return;
  browser = await startChromium(executable);
  owned.defer(() => browser.close());
});
afterAll(() => owned.disposeAsync());

test.skipIf(executable === null).each(["light", "dark"] as const)(
  "sign-in, consent and the way back, %s and narrow",
  async (colorScheme) => {
    const client = createTestOAuthClient(stage.base);
    const clientId = await client.register({ redirect_uris: [callback], client_name: "Desk" });
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 360, height: 780 },
    });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => void faults.push(message.text()));
    await page.goto(
      client.toAuthorizeUrl(clientId, { redirect_uri: callback, state: colorScheme }),
    );
    await page.fill("input[name=email]", ada.email);
    await page.fill("input[name=password]", ada.password);
    await page.click("button[type=submit]");

    await page.waitForURL(/\/oauth\/consent\//);
    expect(await page.textContent("main")).toContain("Desk");
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    const folder = process.env.HUB_TEST_SCREENSHOTS;
    if (folder !== undefined) {
      await page.screenshot({ path: `${folder}/consent-${colorScheme}.png`, fullPage: true });
    }
    await page.click("button[value=allow]");
    await page.waitForURL(`${callback}**`);
    expect(answers.at(-1)?.searchParams.get("state")).toBe(colorScheme);
    expect(answers.at(-1)?.searchParams.get("code")).toBeString();
    // What a policy stops, the browser says here.
    expect(faults.filter((fault) => /Content Security Policy|Refused/i.test(fault))).toEqual([]);
    await context.close();
  },
);

test.skipIf(executable === null)(
  "no page of another site can show the consent in a frame",
  async () => {
    const client = createTestOAuthClient(stage.base);
    const clientId = await client.register({ redirect_uris: [callback] });
    const url = client.toAuthorizeUrl(clientId, { redirect_uri: callback });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${stage.base}/auth/login`);
    await page.fill("input[name=email]", ada.email);
    await page.fill("input[name=password]", ada.password);
    await page.click("button[type=submit]");
    await page.goto(`http://127.0.0.1:${listener.port}/`);
    await page.setContent(`<iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`);
    await page.waitForLoadState("networkidle");
    for (const frame of page.frames().slice(1)) {
      expect(await frame.content()).not.toContain("· Hub");
    }
    await context.close();
  },
);
