import { afterAll, beforeAll, describe } from "bun:test";
import type { BrowserContextOptions } from "playwright-core";
import { createBrowser } from "../../support/browser.ts";
import { signIn, type UserLogin } from "../../support/oauth-fixture.ts";
import { type HubOptions, type RunningHub, startHub } from "../../support/start-hub.ts";
import { type AppVisitor, watchPage } from "./app-pages.ts";
import { findChromium, startChromium, type TestBrowser } from "./chromium.ts";

/** A user with a session, which any number of windows share. */
export type AppUser = UserLogin & { cookies: Array<{ name: string; value: string; url: string }> };

export type WindowOptions = BrowserContextOptions & {
  width?: number;
  /** The first admin by default. */
  as?: AppUser;
  /** The test advances the clock of the window by `page.clock`, which runs on meanwhile. */
  hasClock?: boolean;
};

/** A hub and a browser in which its users are signed in. */
export type App = {
  hub: RunningHub;
  /** The address of the hub for browsers. */
  base: string;
  browser: TestBrowser;
  /** The first admin. */
  admin: AppUser;
  /** Opens a path in a window of its own, and waits for the heading. */
  open(path?: string, options?: WindowOptions): Promise<AppVisitor>;
  addUser(email: string, options?: { tags?: string[]; admin?: boolean }): Promise<AppUser>;
};

type AppTests = {
  title: string;
  /** Makes what the hub needs, and its options. */
  toHubOptions?: (owned: AsyncDisposableStack) => Promise<HubOptions>;
};

/**
 * Describes the app in a browser, with one hub and one browser for all tests of the file. `app` is ready
 * in `beforeAll` and in tests. Without Chromium the tests are skipped.
 */
export function describeApp(
  { title, toHubOptions = async () => ({}) }: AppTests,
  define: (app: App) => void,
): void {
  const executable = findChromium();
  describe.skipIf(executable === null)(title, () => {
    const owned = new AsyncDisposableStack();
    // The cast is safe: `beforeAll` adds the members before anything uses them.
    const app = {} as App;
    beforeAll(async () => {
      const options = await toHubOptions(owned);
      Object.assign(app, owned.use(await openApp(executable ?? "", options)));
    });
    afterAll(() => owned.disposeAsync());
    define(app);
  });
}

/** Starts a hub and a browser. The first admin has a password and a session. */
export async function openApp(
  executable: string,
  options: HubOptions = {},
): Promise<App & AsyncDisposable> {
  await using owned = new AsyncDisposableStack();
  const hub = owned.use(await startHub({ hasCheapPasswords: true, ...options }));
  const base = `http://localhost:${hub.port}`;
  const browser = await startChromium(executable);
  owned.defer(() => browser.close());
  const admin = await openSession(base, readFirstAdmin(hub));
  // Windows that tests have left. One that is used again needs a third less CPU than a new one.
  const windows = new Map<string, AppVisitor[]>();
  async function openWindow(options: BrowserContextOptions): Promise<AppVisitor> {
    const context = await browser.newContext(options);
    return await watchPage(context, base);
  }
  const moved = owned.move();
  return {
    hub,
    base,
    browser,
    admin,
    async open(path = "/", { width = 1280, as = admin, hasClock = false, ...rest } = {}) {
      const viewport = { width, height: 900 };
      // Transitions take a third of the CPU. A test about them asks for motion.
      const media = { colorScheme: "light", reducedMotion: "reduce", ...rest } as const;
      // A window that is left has nothing of its user, and gets its colours and motion below.
      const { colorScheme: _colors, reducedMotion: _motion, ...fixed } = rest;
      const key = JSON.stringify(fixed);
      const left = hasClock ? undefined : windows.get(key)?.pop();
      const visitor = left ?? (await openWindow({ viewport, ...media }));
      const context = visitor.page.context();
      if (left !== undefined) {
        const { colorScheme, reducedMotion } = media;
        await visitor.page.setViewportSize(viewport);
        await visitor.page.emulateMedia({ colorScheme, reducedMotion });
      }
      await context.addCookies(as.cookies);
      if (hasClock) await visitor.page.clock.install();
      await visitor.page.goto(`${base}${path}`);
      await visitor.page.waitForSelector("h1");
      return {
        ...visitor,
        async [Symbol.asyncDispose]() {
          if (hasClock || !(await clearWindow(visitor))) return await context.close();
          windows.set(key, [...(windows.get(key) ?? []), visitor]);
        },
      };
    },
    async addUser(email, { tags = [], admin: isAdmin = false } = {}) {
      const flags = [...tags.flatMap((tag) => ["--tag", tag]), ...(isAdmin ? ["--admin"] : [])];
      const made = await hub.cli("user", "add", email, ...flags, "--password", "--json");
      const { one_time_password: password } = made.json<{ one_time_password: string }>();
      return await openSession(base, { email, password });
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

/** Removes what a test has left in a window. Is false if that fails. */
async function clearWindow({ page, faults }: AppVisitor): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || context.pages().length > 1) return false;
  try {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    for (const event of ["request", "requestfinished", "response", "dialog"])
      await page.removeAllListeners(event);
    await page.evaluate("localStorage.clear(), sessionStorage.clear()");
    // The page before reports nothing after this.
    await page.goto("about:blank");
    // Nothing of the next page is under the pointer.
    await page.mouse.move(0, 0);
    await context.clearCookies();
    faults.length = 0;
    return true;
  } catch {
    return false;
  }
}

/** The first admin with the one-time password that the hub has printed. */
export function readFirstAdmin(hub: RunningHub): UserLogin {
  const password = /one-time password:\s+(\S+)/.exec(hub.stdout())?.[1] ?? "";
  return { email: "admin@localhost", password };
}

/** The password of everyone who signs in here. */
const ownPassword = "a long enough pass phrase";

/** Signs in with a one-time password and replaces it, by requests instead of clicks. */
export async function openSession(base: string, once: UserLogin): Promise<AppUser> {
  const requests = createBrowser();
  await signIn(requests, base, once);
  const page = await requests.open(`${base}/auth/password`);
  await requests.submit(page, { new_password: ownPassword, repeated: ownPassword });
  const cookies = requests
    .cookieHeader(base)
    .split("; ")
    .flatMap((pair) => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [{ name: pair.slice(0, at), value: pair.slice(at + 1), url: base }];
    });
  return { email: once.email, password: ownPassword, cookies };
}
