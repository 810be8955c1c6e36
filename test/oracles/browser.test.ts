/**
 * The pages in a real browser, from the first start: the layout fits every width, the browser's policies
 * block nothing, and no script is necessary. Screenshots go to the folder in HUB_TEST_SCREENSHOTS.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { findFreePort } from "../support/free-port.ts";
import { createTestOAuthClient } from "../support/oauth-fixture.ts";
import { startOpenIdProvider } from "../support/openid-provider.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { checkServerPage } from "./support/app-pages.ts";
import { findChromium, startChromium, type TestBrowser } from "./support/chromium.ts";

setDefaultTimeout(180_000);

const executable = findChromium();

const allLooks = [
  { name: "phone-light", colorScheme: "light", width: 360, javaScriptEnabled: false },
  { name: "phone-dark", colorScheme: "dark", width: 360, javaScriptEnabled: true },
  { name: "desk-light", colorScheme: "light", width: 1280, javaScriptEnabled: false },
  { name: "desk-dark", colorScheme: "dark", width: 1280, javaScriptEnabled: true },
] as const;
/** All four in `.ci/nightly`, else one without scripts. Other files load the pages with scripts. */
const looks = someOf(1, allLooks);

describe.skipIf(executable === null)("In a browser", () => {
  const owned = new AsyncDisposableStack();
  let browser: TestBrowser;

  beforeAll(async () => {
    browser = await startChromium(executable ?? "");
    owned.defer(() => browser.close());
  });
  afterAll(() => owned.disposeAsync());

  test("A look is tried at least", () => expect(looks.length).toBeGreaterThan(0));

  test.each(
    looks,
  )("All pages work from the first start, without faults in the browser: $name", async ({
    name,
    width,
    ...options
  }) => {
    await using hub = await startHub({ env: singleSignOn });
    const context = await browser.newContext({ ...options, viewport: { width, height: 800 } });
    const visitor = watch(await context.newPage(), hub, { name, width, ...options });
    await setFirstPassword(visitor);
    await makeToken(visitor, context);
    await encryptAndDecrypt(visitor);
    await openOtherPages(visitor);
    await connectApplication(visitor);
    await openErrorPages(visitor);
    await context.close();
    expect(visitor.faults).toEqual([]);
  });

  test("Single sign-on works with the cookies that a browser sends after a redirect from another site", async () => {
    const port = await findFreePort();
    const base = `http://localhost:${port}`;
    // The provider has another host, so it is another site for the browser.
    await using provider = await startOpenIdProvider({
      redirectUris: [`${base}/auth/sso/callback`],
    });
    await using _ = await startHub({
      env: {
        HUB_PORT: String(port),
        HUB_OIDC_ISSUER: provider.issuer,
        HUB_OIDC_CLIENT_ID: provider.clientId,
        HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
        HUB_OIDC_NEW_USERS: "active",
      },
    });
    provider.signInAs({ sub: "1", email: "ada@example.com", email_verified: true, name: "Ada" });
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/profile/mcp`);
    await page.click("a:has-text('single sign-on')");
    await page.waitForURL(`${base}/profile/mcp`);
    expect(await page.textContent("nav")).toContain("ada@example.com");
    await page.close();
  });

  test("A page of another site cannot frame the sign-in page", async () => {
    await using hub = await startHub();
    const page = await browser.newPage();
    await page.setContent(`<iframe src="${hub.url}/auth/login"></iframe>`);
    const frame = page.frames()[1];
    await frame?.waitForLoadState();
    expect((await frame?.locator("form").count()) ?? 0).toBe(0);
    await page.close();
  });
});

/** A provider that is down, to test the button and its error. */
const singleSignOn = {
  HUB_OIDC_ISSUER: "http://127.0.0.1:9",
  HUB_OIDC_CLIENT_ID: "hub",
  HUB_OIDC_NAME: "Example ID",
};

const password = "a long enough pass phrase";

type Visitor = {
  page: Page;
  hub: RunningHub;
  base: string;
  /** Messages of the browser's console, and pages that are wider than the window. */
  faults: string[];
  /** Checks the layout of the current page, and takes a screenshot. */
  checkLayout(what: string): Promise<void>;
};

type Look = Pick<(typeof allLooks)[number], "name" | "width" | "colorScheme" | "javaScriptEnabled">;

function watch(page: Page, hub: RunningHub, look: Look): Visitor {
  const { name, width, colorScheme, javaScriptEnabled } = look;
  const faults: string[] = [];
  const recordFault = (text: string) => void faults.push(`${page.url()}: ${text}`);
  page.on("console", (message) => {
    // Chromium logs every status from 400. The tests expect some of them.
    if (!/^Failed to load resource/.test(message.text())) recordFault(message.text());
  });
  page.on("pageerror", (error) => recordFault(error.message));
  return {
    page,
    hub,
    base: `http://localhost:${hub.port}`,
    faults,
    async checkLayout(what) {
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (wide > width) recordFault(`${what} is ${wide} pixels wide`);
      if ((await page.locator("h1").count()) !== 1)
        recordFault(`${what} does not have exactly one heading`);
      if (javaScriptEnabled) {
        await checkServerPage(page);
        await page.emulateMedia({ colorScheme });
      } else if (await page.locator("#scheme").isVisible()) {
        recordFault(`${what} has a switch that does nothing`);
      }
      const folder = process.env.HUB_TEST_SCREENSHOTS;
      if (folder) await page.screenshot({ path: `${folder}/${name}-${what}.png`, fullPage: true });
    },
  };
}

async function setFirstPassword({ page, hub, base, checkLayout }: Visitor): Promise<void> {
  const first = /one-time password:\s+(\S+)/.exec(hub.stdout())?.[1] ?? "";
  await page.goto(`${base}/profile/tokens`);
  await checkLayout("login");
  await page.fill("input[name=email]", "admin@localhost");
  await page.fill("input[name=password]", "not the password");
  await page.click("button.wide");
  await page.waitForSelector("[role=alert]");
  await checkLayout("login-refused");
  await page.fill("input[name=password]", first);
  await page.click("button.wide");
  await page.waitForURL(/\/auth\/password/);
  await checkLayout("first-password");
  await page.fill("input[name=new_password]", "short");
  await page.fill("input[name=repeated]", "short");
  await page.click("button.wide");
  await page.waitForSelector("#new_password-error");
  await checkLayout("first-password-refused");
  await page.fill("input[name=new_password]", password);
  await page.fill("input[name=repeated]", password);
  await page.click("button.wide");
  // The page that the visitor requested before the sign-in.
  await page.waitForURL(`${base}/profile/tokens`);
  await openMenu(page);
  await page.click("button[aria-label='Sign out']");
  await page.waitForURL(/\/auth\/login/);
  await signIn(page);
  await page.waitForURL(`${base}/`);
  await page.goto(`${base}/profile`);
}

/** On a phone, the menu opens with a button, also without scripts. */
async function openMenu(page: Page): Promise<void> {
  const button = page.locator(".hub-menu-button");
  if (await button.isVisible()) await button.click();
}

async function signIn(page: Page): Promise<void> {
  await page.fill("input[name=email]", "admin@localhost");
  await page.fill("input[name=password]", password);
  await page.click("button.wide");
}

async function makeToken(
  { page, base, checkLayout }: Visitor,
  context: BrowserContext,
): Promise<void> {
  await openMenu(page);
  await page.click('nav >> text="Tokens"');
  await page.fill("input[name=name]", "Cursor on my laptop, the one with the long name");
  await page.selectOption("select[name=expires_in_days]", "90");
  await page.click("button:has-text('Create token')");
  await page.waitForSelector(".notice.success");
  const token = (await page.textContent(".notice.success pre")) ?? "";
  await checkLayout("token-new");
  const answer = await fetch(`${base}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect(answer.status).toBe(200);
  await page.reload();
  expect(await page.content()).not.toContain(token);
  expect(JSON.stringify(await context.cookies())).not.toContain(token);
  await page.click("tr:has-text('Cursor') summary:has-text('Revoke')");
  await checkLayout("tokens");
  await page.click("tr:has-text('Cursor') button:has-text('Revoke')");
  await page.waitForSelector("tr:has-text('Cursor')", { state: "detached" });
}

async function encryptAndDecrypt({ page, checkLayout }: Visitor): Promise<void> {
  const secret = "first line <b>\nsecond & last";
  await openMenu(page);
  await page.click('nav >> text="Encrypt"');
  await page.fill("textarea", secret);
  await page.click("main button");
  const token = (await page.textContent(".notice pre")) ?? "";
  expect(token).toStartWith("hub_enc_");
  await checkLayout("encrypt");
  await openMenu(page);
  await page.click('nav >> text="Decrypt"');
  await page.fill("textarea", `Authorization: Bearer ${token}`);
  await page.click("main button");
  expect(await page.textContent(".notice pre")).toBe(`Authorization: Bearer ${secret}`);
  expect(page.url()).not.toContain(token);
  await checkLayout("decrypt");
  await page.fill("textarea", `${token.slice(0, -5)}AAAAA`);
  await page.click("main button");
  await page.waitForSelector("[role=alert]");
  await checkLayout("decrypt-refused");
}

async function openOtherPages({ page, base, checkLayout }: Visitor): Promise<void> {
  for (const [path, name] of [
    ["/profile", "profile"],
    ["/profile/mcp", "connect"],
    ["/help/reference/settings", "help"],
    ["/help?q=lost+key", "help-found"],
    ["/auth/password", "password"],
  ]) {
    await page.goto(`${base}${path}`);
    await checkLayout(name ?? "");
  }
}

async function connectApplication({ page, base, checkLayout }: Visitor): Promise<void> {
  const listener = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response("<!doctype html><title>Done</title><link rel=icon href=data:,>", {
        headers: { "content-type": "text/html" },
      }),
  });
  try {
    const callback = `http://127.0.0.1:${listener.port}/callback`;
    const client = createTestOAuthClient(base);
    const clientId = await client.register({ redirect_uris: [callback], client_name: "Desk" });
    await page.goto(client.toAuthorizeUrl(clientId, { redirect_uri: callback }));
    await checkLayout("consent");
    await page.click("button[value=allow]");
    await page.waitForURL(`${callback}**`);
    const code = new URL(page.url()).searchParams.get("code") ?? "";
    expect((await client.redeem(clientId, code, { redirect_uri: callback })).status).toBe(200);
    await page.goto(`${base}/profile`);
    await checkLayout("profile-with-application");
    await page.click("summary:has-text('Disconnect')");
    await page.click("tr:has-text('Desk') button");
    await page.waitForSelector("tr:has-text('Desk')", { state: "detached" });
  } finally {
    await listener.stop(true);
  }
}

async function openErrorPages({ page, base, checkLayout }: Visitor): Promise<void> {
  await page.goto(`${base}/nothing-here`);
  await checkLayout("not-found");
  await page.goto(`${base}/profile`);
  await openMenu(page);
  await page.click("button[aria-label='Sign out']");
  await page.waitForURL(/\/auth\/login/);
  await page.click("a:has-text('Example ID')");
  await page.waitForSelector("[role=alert]");
  expect(await page.textContent("[role=alert]")).toContain("provider cannot be reached");
  await checkLayout("single-sign-on-down");
  await signIn(page);
  await page.waitForURL(`${base}/`);
}
