/**
 * The consent page in a real browser, which applies policies: for example, the page's own
 * Content-Security-Policy must not block the redirect from the form to the client.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  type UserLogin,
} from "../support/oauth-fixture.ts";
import { checkServerPage } from "./support/app-pages.ts";
import { findChromium, startChromium, type TestBrowser } from "./support/chromium.ts";

setDefaultTimeout(180_000);

const executable = findChromium();
const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;
let browser: TestBrowser;
const answers: URL[] = [];

/** The local server of a native client. */
const listener = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    const url = new URL(req.url);
    // A browser also requests an icon.
    if (url.pathname === "/callback") answers.push(url);
    return new Response("Done.");
  },
});
owned.defer(() => listener.stop(true));
const callback = `http://127.0.0.1:${listener.port}/callback`;

beforeAll(async () => {
  fixture = owned.use(await openOAuthFixture());
  ada = await fixture.addUserWithPassword("ada@example.com");
  if (executable === null) return;
  browser = await startChromium(executable);
  owned.defer(() => browser.close());
});
afterAll(() => owned.disposeAsync());

test.skipIf(executable === null).each(["light", "dark"] as const)(
  "Sign-in, consent and the redirect work in a narrow %s window",
  async (colorScheme) => {
    const client = createTestOAuthClient(fixture.base);
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
    if (colorScheme === "light") await checkServerPage(page);
    await page.fill("input[name=email]", ada.email);
    await page.fill("input[name=password]", ada.password);
    await page.click("button[type=submit]");

    await page.waitForURL(/\/oauth\/consent\//);
    if (colorScheme === "light") await checkServerPage(page);
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
    // The browser's console lists what a policy blocks.
    expect(faults.filter((fault) => /Content Security Policy|Refused/i.test(fault))).toEqual([]);
    await context.close();
  },
);

test.skipIf(executable === null)(
  "A page of another site cannot frame the consent page",
  async () => {
    const client = createTestOAuthClient(fixture.base);
    const clientId = await client.register({ redirect_uris: [callback] });
    const url = client.toAuthorizeUrl(clientId, { redirect_uri: callback });
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${fixture.base}/auth/login`);
    await page.fill("input[name=email]", ada.email);
    await page.fill("input[name=password]", ada.password);
    await page.click("button[type=submit]");
    await page.goto(`http://127.0.0.1:${listener.port}/`);
    await page.setContent(`<iframe src="${url.replaceAll("&", "&amp;")}"></iframe>`);
    await page.waitForLoadState("networkidle");
    const [, framed, ...others] = page.frames();
    expect(others).toEqual([]);
    expect(await framed?.content()).toBeString();
    expect(await framed?.content()).not.toContain("· Hub");
    await context.close();
  },
);
